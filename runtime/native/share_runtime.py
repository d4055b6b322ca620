"""The functions that threads run shares of a loop with, in LLVM's text, for every function that has such loops."""

from __future__ import annotations

from anabranch.runtime.native.signal_state import RAISED, STATE

MOST_THREADS = 64
# Into how many parts each thread's share is split: one that begins late, or is interrupted, leaves parts to others.
_PARTS = 4
RUN = "run_shares"
# A team has the function, its context, the end of the steps, the steps of a part, the first step that is left, and the
# state of the looks at signals, if there are any.
_TEAM = "{ ptr, ptr, i64, i64, i64, ptr }"
_MEMBERS = {"context": "ptr", "end": "i64", "part": "i64", "left": "i64", "signals": "ptr"}


def _member(name: str) -> str:
    return f"  %{name}.p = getelementptr {_TEAM}, ptr %team, i32 0, i32 {1 + [*_MEMBERS].index(name)}\n"


_CALLED = {
    "pthread_create": "i32 @pthread_create(ptr, ptr, ptr, ptr)",
    "pthread_join": "i32 @pthread_join(i64, ptr)",
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
  %at = atomicrmw add ptr %left.p, i64 %part monotonic
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
_OF_THREADS = ("pthread_create", "pthread_join", "sched_getaffinity", "llvm.ctpop.i64")
_THREADS = """
define internal i64 @count_processors() noinline nounwind {
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
}
define internal ptr @help(ptr %team) nounwind {
  call void @take_shares(ptr %team, i1 false)
  ret ptr null
}
define internal i32 @begin_thread(ptr %thread, ptr %team) {
  %failed = call i32 @pthread_create(ptr %thread, ptr null, ptr @help, ptr %team)
  ret i32 %failed
}
define internal void @end_thread(ptr %thread) {
  %number = load i64, ptr %thread
  call i32 @pthread_join(i64 %number, ptr null)
  ret void
}
"""
_WITHOUT_THREADS = """
define internal i64 @count_processors() {
  ret i64 1
}
define internal i32 @begin_thread(ptr %thread, ptr %team) {
  ret i32 1
}
define internal void @end_thread(ptr %thread) {
  ret void
}
"""
_RUNTIME = f"""
define internal void @{RUN}(
    ptr %share, ptr %context, i64 %first, i64 %end, i64 %least, i64 %most, ptr %signals) noinline nounwind {{
entry:
  %team = alloca {_TEAM}
  %threads = alloca [{MOST_THREADS} x i64]
  %steps = sub i64 %end, %first
  %worth = sdiv i64 %steps, %least
  %wanted = call i64 @llvm.smin.i64(i64 %worth, i64 %most)
  %is.worth = icmp sgt i64 %wanted, 1
  br i1 %is.worth, label %count, label %begin
count:
  %there = call i64 @count_processors()
  %had = call i64 @llvm.smin.i64(i64 %wanted, i64 %there)
  br label %begin
begin:
  %known = phi i64 [ 1, %entry ], [ %had, %count ]
  %number = call i64 @llvm.smax.i64(i64 %known, i64 1)
  %parts = mul i64 %number, {_PARTS}
  %size = sdiv i64 %steps, %parts
  %longest = mul i64 %least, {_PARTS}
  %bounded = call i64 @llvm.smin.i64(i64 %size, i64 %longest)
  %part = call i64 @llvm.smax.i64(i64 %bounded, i64 1)
  %left = add i64 %first, 0
  store ptr %share, ptr %team
{_WRITTEN}  %are.several = icmp sgt i64 %number, 1
  br i1 %are.several, label %create, label %begun
create:
  %k = phi i64 [ 1, %begin ], [ %k.next, %created ]
  %thread.p = getelementptr i64, ptr %threads, i64 %k
  %failed = call i32 @begin_thread(ptr %thread.p, ptr %team)
  %has.failed = icmp ne i32 %failed, 0
  br i1 %has.failed, label %begun, label %created
created:
  %k.next = add i64 %k, 1
  %is.last = icmp eq i64 %k.next, %number
  br i1 %is.last, label %begun, label %create
begun:
  %count.made = phi i64 [ 1, %begin ], [ %k, %create ], [ %k.next, %created ]
  call void @take_shares(ptr %team, i1 true)
  br label %join
join:
  %j = phi i64 [ 1, %begun ], [ %j.next, %joined ]
  %is.joined = icmp eq i64 %j, %count.made
  br i1 %is.joined, label %done, label %joined
joined:
  %other.p = getelementptr i64, ptr %threads, i64 %j
  call void @end_thread(ptr %other.p)
  %j.next = add i64 %j, 1
  br label %join
done:
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
