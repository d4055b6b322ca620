"""Source text without spaces between keywords and brackets, as some write it."""

# The text is what is tested.
# ruff: noqa: E701, E702, E713
from __future__ import annotations

import pytest

from tests.program_table import Program, Table

case = Table()


class Held:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x

    def __exit__(self, *error):
        return None


# fmt: off
@case((3, [1, 2, 0]), (2, [1, 2, 0]), (0, [-1]))
def conditions(x, a):
    while(x<2)or(x<1):x+=1
    if(x>3):return(x)
    elif(x>2):return[y for y in(a)if(y>1)or(y<0)]
    else:return-1


@case((3, [1, 2]), (2, [1, 2]), (1, []))
def expressions(x, a):
    y=(x)if(x>2)else(-x)
    z=not(x in(1,2))and(x>1)
    s=0
    for(i,v)in(enumerate(a)):s+=i*v
    if(n:=x+1)>3:return(n)if(n>4)else(y,z,s)
    return(y)if(s>1)else(z,s),x<3 or(x>4)


@case((3, [1, 2]), (1, [1, 2]), (-1, [1, 2]))
def statements(x, a):
    assert(x>-1),("negative",x)
    if not(x<9):raise(ValueError(x))
    try:v=a[x];del(a[0])
    except(IndexError):return(-1)
    with(Held(x))as(w):
        if(w>0):return(w,v)
    return{x:v}


@case((3, []), (1, []), (8, []))
def recursion_and_match(x, a):
    def f(n):return(n)if(n<2)else(f(n-1)+(f(n-2)))
    match(x):
        case(3):return f(x)
        case _ if(x>3):return(f(x),)
    return 0
# fmt: on


@pytest.mark.parametrize("program", case.programs)
def test_spaces_beside_keywords(program: Program) -> None:
    program.check()
