"""The functions that threads run shares of a loop with, in LLVM's text, for every function that has such loops.

A thread that has not begun when all shares are done is left behind, and joined later: on a busy machine it may take
longer to begin than all the loop. The function of the loop is never called by it, and what it reads is freed by who
leaves it last.
"""

from __future__ import annotations

from anabranch.runtime.host.late_threads import MOST_LATE, SETTLE, TABLE
from anabranch.runtime.native.signal_state import RAISED, STATE

MOST_THREADS = 64
# Into how many parts each thread's share is split: one that begins late, or is interrupted, leaves parts to others.
_PARTS = 4
RUN = "run_shares"
# A team has the function, its context, the end of the steps, the steps of a part, the first step that is left, and the
# state of the looks at signals, if there are any.
_TEAM = "{ ptr, ptr, i64, i64, i64, ptr }"
# Another thread has the team, whether it has begun, and its number. Before them the team has how many use it.
_HELPER = "{ ptr, i64, i64 }"
_TEAM_AND_HELPERS = f"{{ {_TEAM}, i64, [{MOST_THREADS} x {_HELPER}] }}"
# Of threads that are left behind the table has their number, and for each a state and the thread.
_FREE, _TAKEN, _LEFT = range(3)
_LATE = f"{{ i64, [{MOST_LATE} x {{ i64, i64 }}] }}"
_MEMBERS = {"context": "ptr", "end": "i64", "part": "i64", "left": "i64", "signals": "ptr"}


def _member(name: str) -> str:
    return f"  %{name}.p = getelementptr {_TEAM}, ptr %team, i32 0, i32 {1 + [*_MEMBERS].index(name)}\n"


_CALLED = {
    "pthread_create": "i32 @pthread_create(ptr, ptr, ptr, ptr)",
    "pthread_join": "i32 @pthread_join(i64, ptr)",
    "pthread_tryjoin_np": "i32 @pthread_tryjoin_np(i64, ptr)",
    "malloc": "ptr @malloc(i64)",
    "free": "void @free(ptr)",
    "sched_getaffinity": "i32 @sched_getaffinity(i32, i64, ptr)",
    "llvm.ctpop.i64": "i64 @llvm.ctpop.i64(i64)",
    "llvm.smin.i64": "i64 @llvm.smin.i64(i64, i64)",
    "llvm.smax.i64": "i64 @llvm.smax.i64(i64, i64)",
}
_READ = "".join(f"{_member(name)}  %{name} = load {type}, ptr %{name}.p\n" for name, type in _MEMBERS.items())
_WRITTEN = "".join(f"{_member(name)}  store {type} %{name}, ptr %{name}.p\n" for name, type in _MEMBERS.items())
_TAKE = f"""
define internal void @take_shares(ptr %team, i1 %is.caller) nounwind {{
entry:
  %share = load ptr, ptr %team
{_READ}  %asks = icmp ne ptr %signals, null
  br label %take
take:
  %at = atomicrmw add ptr %left.p, i64 %part seq_cst
  %is.left = icmp slt i64 %at, %end
  br i1 %is.left, label %go, label %done
go:
  %after = add i64 %at, %part
  %stop = call i64 @llvm.smin.i64(i64 %after, i64 %end)
  call void %share(i64 %at, i64 %stop, i1 %is.caller, ptr %context)
  br i1 %asks, label %ask, label %take
ask:
  %is.over = call i1 @ask_in_share(ptr %signals, i1 %is.caller)
  br i1 %is.over, label %done, label %take
done:
  ret void
}}
"""
_OF_THREADS = (
    "pthread_create", "pthread_join", "pthread_tryjoin_np", "sched_getaffinity", "malloc", "free", "llvm.ctpop.i64",
)  # fmt: skip
_THREADS = f"""
@{TABLE} = external global {_LATE}
define internal i64 @count_processors() noinline nounwind {{
entry:
  %set = alloca [128 x i64], align 8
  %found = call i32 @sched_getaffinity(i32 0, i64 1024, ptr %set)
  %is.unknown = icmp ne i32 %found, 0
  br i1 %is.unknown, label %one, label %word
word:
  %k = phi i64 [ 0, %entry ], [ %k.next, %word ]
  %count = phi i64 [ 0, %entry ], [ %count.next, %word ]
  %bits.p = getelementptr i64, ptr %set, i64 %k
  %bits = load i64, ptr %bits.p
  %ones = call i64 @llvm.ctpop.i64(i64 %bits)
  %count.next = add i64 %count, %ones
  %k.next = add i64 %k, 1
  %is.last = icmp eq i64 %k.next, 128
  br i1 %is.last, label %all, label %word
all:
  ret i64 %count.next
one:
  ret i64 1
}}
define internal i1 @may_begin_threads() noinline nounwind {{
entry:
  %before = load atomic i64, ptr @{TABLE} seq_cst, align 8
  %is.none = icmp eq i64 %before, 0
  br i1 %is.none, label %yes, label %sweep
sweep:
  call void @join_late(i1 false)
  %after = load atomic i64, ptr @{TABLE} seq_cst, align 8
  %are.none = icmp eq i64 %after, 0
  ret i1 %are.none
yes:
  ret i1 true
}}
define internal ptr @new_team(i64 %number) nounwind {{
entry:
  %size.p = getelementptr {_TEAM_AND_HELPERS}, ptr null, i32 1
  %size = ptrtoint ptr %size.p to i64
  %team = call ptr @malloc(i64 %size)
  %is.none = icmp eq ptr %team, null
  br i1 %is.none, label %none, label %some
some:
  %users.p = getelementptr {_TEAM_AND_HELPERS}, ptr %team, i32 0, i32 1
  store i64 %number, ptr %users.p
  ret ptr %team
none:
  ret ptr null
}}
define internal void @leave_team(ptr %team, i64 %count) nounwind {{
entry:
  %users.p = getelementptr {_TEAM_AND_HELPERS}, ptr %team, i32 0, i32 1
  %before = atomicrmw sub ptr %users.p, i64 %count seq_cst
  %is.last = icmp eq i64 %before, %count
  br i1 %is.last, label %last, label %done
last:
  call void @free(ptr %team)
  br label %done
done:
  ret void
}}
define internal ptr @help(ptr %helper) nounwind {{
  %begun.p = getelementptr {_HELPER}, ptr %helper, i32 0, i32 1
  store atomic i64 1, ptr %begun.p seq_cst, align 8
  %team = load ptr, ptr %helper
  call void @take_shares(ptr %team, i1 false)
  call void @leave_team(ptr %team, i64 1)
  ret ptr null
}}
define internal i32 @begin_thread(ptr %team, i64 %k) {{
  %helper = getelementptr {_TEAM_AND_HELPERS}, ptr %team, i32 0, i32 2, i64 %k
  %begun.p = getelementptr {_HELPER}, ptr %helper, i32 0, i32 1
  %thread.p = getelementptr {_HELPER}, ptr %helper, i32 0, i32 2
  store ptr %team, ptr %helper
  store i64 0, ptr %begun.p
  %failed = call i32 @pthread_create(ptr %thread.p, ptr null, ptr @help, ptr %helper)
  ret i32 %failed
}}
define internal void @end_thread(ptr %team, i64 %k) {{
entry:
  %helper = getelementptr {_TEAM_AND_HELPERS}, ptr %team, i32 0, i32 2, i64 %k
  %begun.p = getelementptr {_HELPER}, ptr %helper, i32 0, i32 1
  %thread.p = getelementptr {_HELPER}, ptr %helper, i32 0, i32 2
  %thread = load i64, ptr %thread.p
  %begun = load atomic i64, ptr %begun.p seq_cst, align 8
  %has.begun = icmp ne i64 %begun, 0
  br i1 %has.begun, label %join, label %late
late:
  %is.left = call i1 @left_behind(i64 %thread)
  br i1 %is.left, label %done, label %join
join:
  call i32 @pthread_join(i64 %thread, ptr null)
  br label %done
done:
  ret void
}}
define internal i1 @left_behind(i64 %thread) noinline nounwind {{
entry:
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k.next, %other ]
  %state.p = getelementptr {_LATE}, ptr @{TABLE}, i32 0, i32 1, i64 %k, i32 0
  %pair = cmpxchg ptr %state.p, i64 {_FREE}, i64 {_TAKEN} seq_cst seq_cst
  %is.mine = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %is.mine, label %put, label %other
other:
  %k.next = add i64 %k, 1
  %is.last = icmp eq i64 %k.next, {MOST_LATE}
  br i1 %is.last, label %none, label %look
put:
  %thread.p = getelementptr {_LATE}, ptr @{TABLE}, i32 0, i32 1, i64 %k, i32 1
  store i64 %thread, ptr %thread.p
  %before = atomicrmw add ptr @{TABLE}, i64 1 seq_cst
  store atomic i64 {_LEFT}, ptr %state.p seq_cst, align 8
  ret i1 true
none:
  ret i1 false
}}
define internal void @join_late(i1 %waits) noinline nounwind {{
entry:
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k.next, %other ]
  %state.p = getelementptr {_LATE}, ptr @{TABLE}, i32 0, i32 1, i64 %k, i32 0
  %pair = cmpxchg ptr %state.p, i64 {_LEFT}, i64 {_TAKEN} seq_cst seq_cst
  %is.mine = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %is.mine, label %try, label %other
try:
  %thread.p = getelementptr {_LATE}, ptr @{TABLE}, i32 0, i32 1, i64 %k, i32 1
  %thread = load i64, ptr %thread.p
  br i1 %waits, label %wait, label %ask
wait:
  call i32 @pthread_join(i64 %thread, ptr null)
  br label %ended
ask:
  %is.running = call i32 @pthread_tryjoin_np(i64 %thread, ptr null)
  %has.ended = icmp eq i32 %is.running, 0
  br i1 %has.ended, label %ended, label %back
ended:
  %before = atomicrmw sub ptr @{TABLE}, i64 1 seq_cst
  store atomic i64 {_FREE}, ptr %state.p seq_cst, align 8
  br label %other
back:
  store atomic i64 {_LEFT}, ptr %state.p seq_cst, align 8
  br label %other
other:
  %k.next = add i64 %k, 1
  %is.last = icmp eq i64 %k.next, {MOST_LATE}
  br i1 %is.last, label %done, label %look
done:
  ret void
}}
define void @{SETTLE}() {{
  call void @join_late(i1 true)
  ret void
}}
"""
_WITHOUT_THREADS = """
define internal i64 @count_processors() {
  ret i64 1
}
define internal i1 @may_begin_threads() {
  ret i1 false
}
define internal ptr @new_team(i64 %number) {
  ret ptr null
}
define internal void @leave_team(ptr %team, i64 %count) {
  ret void
}
define internal i32 @begin_thread(ptr %team, i64 %k) {
  ret i32 1
}
define internal void @end_thread(ptr %team, i64 %k) {
  ret void
}
"""
_RUNTIME = f"""
define internal void @{RUN}(
    ptr %share, ptr %context, i64 %first, i64 %end, i64 %least, i64 %most, ptr %signals) noinline nounwind {{
entry:
  %own = alloca {_TEAM}
  %steps = sub i64 %end, %first
  %worth = sdiv i64 %steps, %least
  %wanted = call i64 @llvm.smin.i64(i64 %worth, i64 %most)
  %is.worth = icmp sgt i64 %wanted, 1
  br i1 %is.worth, label %look, label %begin
look:
  %may = call i1 @may_begin_threads()
  br i1 %may, label %count, label %begin
count:
  %there = call i64 @count_processors()
  %had = call i64 @llvm.smin.i64(i64 %wanted, i64 %there)
  %are.there = icmp sgt i64 %had, 1
  br i1 %are.there, label %make, label %begin
make:
  %made = call ptr @new_team(i64 %had)
  %is.none = icmp eq ptr %made, null
  br i1 %is.none, label %begin, label %several
several:
  br label %begin
begin:
  %number = phi i64 [ 1, %entry ], [ 1, %look ], [ 1, %count ], [ 1, %make ], [ %had, %several ]
  %team = phi ptr [ %own, %entry ], [ %own, %look ], [ %own, %count ], [ %own, %make ], [ %made, %several ]
  %parts = mul i64 %number, {_PARTS}
  %size = sdiv i64 %steps, %parts
  %longest = mul i64 %least, {_PARTS}
  %bounded = call i64 @llvm.smin.i64(i64 %size, i64 %longest)
  %part = call i64 @llvm.smax.i64(i64 %bounded, i64 1)
  %left = add i64 %first, 0
  store ptr %share, ptr %team
{_WRITTEN}  %are.several = icmp sgt i64 %number, 1
  br i1 %are.several, label %create, label %alone
alone:
  call void @take_shares(ptr %team, i1 true)
  ret void
create:
  %k = phi i64 [ 1, %begin ], [ %k.next, %created ]
  %failed = call i32 @begin_thread(ptr %team, i64 %k)
  %has.failed = icmp ne i32 %failed, 0
  br i1 %has.failed, label %begun, label %created
created:
  %k.next = add i64 %k, 1
  %is.last = icmp eq i64 %k.next, %number
  br i1 %is.last, label %begun, label %create
begun:
  %count.made = phi i64 [ %k, %create ], [ %k.next, %created ]
  call void @take_shares(ptr %team, i1 true)
  %none.left = atomicrmw xchg ptr %left.p, i64 %end seq_cst
  br label %join
join:
  %j = phi i64 [ 1, %begun ], [ %j.next, %joined ]
  %is.joined = icmp eq i64 %j, %count.made
  br i1 %is.joined, label %done, label %joined
joined:
  call void @end_thread(ptr %team, i64 %j)
  %j.next = add i64 %j, 1
  br label %join
done:
  %unmade = sub i64 %number, %count.made
  %mine = add i64 %unmade, 1
  call void @leave_team(ptr %team, i64 %mine)
  ret void
}}
"""
# Returns whether a handler has raised, which the thread of the call alone asks Python.
_ASK = f"""
define internal i1 @ask_in_share(ptr %state, i1 %is.caller) noinline nounwind {{
  %raised.p = getelementptr {STATE}, ptr %state, i32 0, i32 {RAISED}
  %raised.i = load atomic i8, ptr %raised.p monotonic, align 1
  %raised = icmp ne i8 %raised.i, 0
  %is.none = xor i1 %raised, true
  %asks = and i1 %is.none, %is.caller
  br i1 %asks, label %ask, label %known
ask:
  %answer = call i1 @ask(ptr %state)
  ret i1 %answer
known:
  ret i1 %raised
}}
"""
_ASKS_NOTHING = """
define internal i1 @ask_in_share(ptr %state, i1 %is.caller) noinline nounwind {
  ret i1 false
}
"""


def declarations(has_threads: bool) -> dict[str, str]:
    """The declarations of the functions that they call, by the names."""
    names = [name for name in _CALLED if has_threads or name not in _OF_THREADS]
    return {name: f"declare {_CALLED[name]}" for name in names}


def runtime(has_threads: bool, asks: bool) -> list[str]:
    """Their text.

    Parameters
    ----------
    has_threads
        Whether there may be threads besides that of the call.
    asks
        Whether there are looks at signals.
    """
    return [_TAKE, _THREADS if has_threads else _WITHOUT_THREADS, _RUNTIME, _ASK if asks else _ASKS_NOTHING]
