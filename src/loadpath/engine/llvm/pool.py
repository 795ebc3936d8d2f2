"""A store of memory blocks that NumPy takes arrays from, as LLVM functions (see `loadpath.engine.pool`).

    allocate: a kept block that is large enough and not a quarter too large, else C's malloc
    free:     kept; to stay within the bound, what has lain there longest goes to C's free

Blocks below `LEAST` come and go by malloc and free alone. Before its data each block says where it begins and how much
it holds. One thread at a time uses the table. A second one does not wait, it uses malloc and free instead: so nobody
ever waits here, not even the child of a fork that came in the middle, whose table stays closed.
"""

from __future__ import annotations

import sys

from loadpath.engine.llvm.lanes import external

NAME = "loadpath"
"""What NumPy calls the allocator of such arrays."""
LEAST = 1 << 17
"""Bytes from which on blocks are kept: C libraries keep smaller ones, and ask the system for larger ones."""
BLOCKS = 32
"""How many blocks are kept at most."""
SECONDS = 5
"""How long a block may lie unused: then it goes, when the next one comes."""
HUGE = 1 << 22
"""Bytes from which on the system is asked for huge pages, as NumPy does."""
BATCH = 64
"""An array of one axis is taken for a batch from this length on."""

LINUX = sys.platform.startswith("linux")
TIME = "_time64" if sys.platform == "win32" else "time"
C_FUNCTIONS = ("memcpy", "memset", TIME, *(("madvise",) if LINUX else ()))
SYMBOLS = ("pool_handler", "pool_bound", "pool_seconds", "pool_kept", "pool_context", "pool_call", "pool_release")


def pool_text(head: int) -> str:
    """LLVM assembly of the allocator, as `pool_handler` for NumPy, and of `pool_call(ufunc, ...)` for Python.

    `head` are the bytes of an object before its own fields. The table `pool_context` is to be filled with NumPy's type
    of arrays and its PyDataMem_SetHandler.
    """
    declarations = [
        external("malloc", "ptr", "i64"),
        external("free", "void", "ptr"),
        external("memcpy", "ptr", "ptr", "ptr", "i64"),
        external("memset", "ptr", "ptr", "i32", "i64"),
        external(TIME, "i64", "ptr"),
        external("vectorcall", "ptr", "ptr", "ptr", "i64", "ptr"),
        external("fetch_error", "void", "ptr", "ptr", "ptr"),
        external("restore_error", "void", "ptr", "ptr", "ptr"),
        external("drop_python", "void", "ptr"),
    ]
    if LINUX:
        declarations.append(external("madvise", "i32", "ptr", "i64", "i32"))
    return "".join(declarations) + _TABLE + _fresh() + _STORE + _HANDLER + _call(head)


_TABLE = f"""
@pool_kept = global i64 0
@pool_bound = global i64 0
@pool_seconds = global i64 {SECONDS}
@busy = internal global i32 0
%block = type {{ ptr, i64, i64 }}
@table = internal global [{BLOCKS} x %block] zeroinitializer

define internal i1 @enter() nounwind {{
  %found = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %free = extractvalue {{ i32, i1 }} %found, 1
  ret i1 %free
}}

define internal void @leave() nounwind {{
  store atomic i32 0, ptr @busy release, align 4
  ret void
}}

define internal i64 @capacity(ptr %data) nounwind {{
  %at = getelementptr i8, ptr %data, i64 -56
  %capacity = load i64, ptr %at
  ret i64 %capacity
}}

define internal void @discard(ptr %data) nounwind {{
  %at = getelementptr i8, ptr %data, i64 -64
  %begin = load ptr, ptr %at
  %free = load ptr, ptr @at_free
  call void %free(ptr %begin)
  ret void
}}

define internal void @evict(i64 %k) nounwind {{
  %data.at = getelementptr %block, ptr @table, i64 %k
  %data = load ptr, ptr %data.at
  store ptr null, ptr %data.at
  %capacity = call i64 @capacity(ptr %data)
  %kept = load i64, ptr @pool_kept
  %rest = sub i64 %kept, %capacity
  store i64 %rest, ptr @pool_kept
  call void @discard(ptr %data)
  ret void
}}

define internal void @expire(i64 %before) nounwind {{
begin:
  br label %each
each:
  %k = phi i64 [0, %begin], [%k.next, %next]
  %data.at = getelementptr %block, ptr @table, i64 %k
  %data = load ptr, ptr %data.at
  %used = icmp ne ptr %data, null
  %time.at = getelementptr %block, ptr @table, i64 %k, i32 2
  %time = load i64, ptr %time.at
  %old = icmp slt i64 %time, %before
  %gone = and i1 %used, %old
  br i1 %gone, label %go, label %next
go:
  call void @evict(i64 %k)
  br label %next
next:
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, {BLOCKS}
  br i1 %more, label %each, label %end
end:
  ret void
}}

define internal i64 @oldest(i1 %wanted) nounwind {{
begin:
  br label %each
each:
  %k = phi i64 [0, %begin], [%k.next, %each]
  %best = phi i64 [-1, %begin], [%best.next, %each]
  %least = phi i64 [{2**63 - 1}, %begin], [%least.next, %each]
  %data.at = getelementptr %block, ptr @table, i64 %k
  %data = load ptr, ptr %data.at
  %used = icmp ne ptr %data, null
  %fits = icmp eq i1 %used, %wanted
  %time.at = getelementptr %block, ptr @table, i64 %k, i32 2
  %time = load i64, ptr %time.at
  %older = icmp slt i64 %time, %least
  %better = and i1 %fits, %older
  %best.next = select i1 %better, i64 %k, i64 %best
  %least.next = select i1 %better, i64 %time, i64 %least
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, {BLOCKS}
  br i1 %more, label %each, label %end
end:
  ret i64 %best.next
}}

define void @pool_release() nounwind {{
begin:
  %free = call i1 @enter()
  br i1 %free, label %empty, label %end
empty:
  call void @expire(i64 {2**63 - 1})
  call void @leave()
  br label %end
end:
  ret void
}}
"""


def _fresh() -> str:
    """A block of C's; if there is none to be had, all that is kept is given back first."""
    advise = f"""  %large = icmp uge i64 %size, {HUGE}
  br i1 %large, label %advise, label %done
advise:
  %from = and i64 %aligned, -4096
  %madvise = load ptr, ptr @at_madvise
  %page = inttoptr i64 %from to ptr
  %advised = call i32 %madvise(ptr %page, i64 %capacity, i32 14)
  br label %done""" if LINUX else "  br label %done"
    return f"""
define internal ptr @fresh(i64 %size) nounwind {{
begin:
  %rounded = add i64 %size, 63
  %capacity = and i64 %rounded, -64
  %whole = add i64 %capacity, 128
  %overflow = icmp ult i64 %whole, %size
  br i1 %overflow, label %none, label %first
first:
  %malloc = load ptr, ptr @at_malloc
  %found = call ptr %malloc(i64 %whole)
  %there = icmp ne ptr %found, null
  br i1 %there, label %mark, label %again
again:
  call void @pool_release()
  %retried = call ptr %malloc(i64 %whole)
  %late = icmp ne ptr %retried, null
  br i1 %late, label %mark, label %none
mark:
  %block = phi ptr [%found, %first], [%retried, %again]
  %address = ptrtoint ptr %block to i64
  %raised = add i64 %address, 127
  %aligned = and i64 %raised, -64
  %data = inttoptr i64 %aligned to ptr
  %begin.at = getelementptr i8, ptr %data, i64 -64
  store ptr %block, ptr %begin.at
  %capacity.at = getelementptr i8, ptr %data, i64 -56
  store i64 %capacity, ptr %capacity.at
{advise}
done:
  ret ptr %data
none:
  ret ptr null
}}
"""


_STORE = f"""
define internal ptr @take(i64 %size) nounwind {{
begin:
  %quarter = lshr i64 %size, 2
  %most = add i64 %size, %quarter
  br label %each
each:
  %k = phi i64 [0, %begin], [%k.next, %each]
  %best = phi i64 [-1, %begin], [%best.next, %each]
  %least = phi i64 [%most, %begin], [%least.next, %each]
  %data.at = getelementptr %block, ptr @table, i64 %k
  %data = load ptr, ptr %data.at
  %used = icmp ne ptr %data, null
  %capacity.at = getelementptr %block, ptr @table, i64 %k, i32 1
  %capacity = load i64, ptr %capacity.at
  %enough = icmp uge i64 %capacity, %size
  %less = icmp ult i64 %capacity, %least
  %fits = and i1 %used, %enough
  %better = and i1 %fits, %less
  %best.next = select i1 %better, i64 %k, i64 %best
  %least.next = select i1 %better, i64 %capacity, i64 %least
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, {BLOCKS}
  br i1 %more, label %each, label %chosen
chosen:
  %some = icmp sge i64 %best.next, 0
  br i1 %some, label %reuse, label %none
reuse:
  %kept = load i64, ptr @pool_kept
  %rest = sub i64 %kept, %least.next
  store i64 %rest, ptr @pool_kept
  %taken.at = getelementptr %block, ptr @table, i64 %best.next
  %taken = load ptr, ptr %taken.at
  store ptr null, ptr %taken.at
  ret ptr %taken
none:
  ret ptr null
}}

define internal void @keep(ptr %data, i64 %capacity) nounwind {{
begin:
  %time = load ptr, ptr @at_{TIME}
  %now = call i64 %time(ptr null)
  %seconds = load i64, ptr @pool_seconds
  %before = sub i64 %now, %seconds
  call void @expire(i64 %before)
  %bound = load i64, ptr @pool_bound
  %large = icmp ugt i64 %capacity, %bound
  br i1 %large, label %refuse, label %room
refuse:
  call void @discard(ptr %data)
  ret void
room:
  %kept = load i64, ptr @pool_kept
  %total = add i64 %kept, %capacity
  %place = call i64 @oldest(i1 false)
  %no_place = icmp slt i64 %place, 0
  %too_much = icmp ugt i64 %total, %bound
  %full = or i1 %no_place, %too_much
  br i1 %full, label %oldest, label %store
oldest:
  %old = call i64 @oldest(i1 true)
  call void @evict(i64 %old)
  br label %room
store:
  %data.at = getelementptr %block, ptr @table, i64 %place
  store ptr %data, ptr %data.at
  %capacity.at = getelementptr %block, ptr @table, i64 %place, i32 1
  store i64 %capacity, ptr %capacity.at
  %time.at = getelementptr %block, ptr @table, i64 %place, i32 2
  store i64 %now, ptr %time.at
  store i64 %total, ptr @pool_kept
  ret void
}}
"""

_HANDLER = f"""
define internal ptr @allocate(ptr %context, i64 %size) nounwind {{
begin:
  %large = icmp uge i64 %size, {LEAST}
  br i1 %large, label %ask, label %new
ask:
  %free = call i1 @enter()
  br i1 %free, label %look, label %new
look:
  %found = call ptr @take(i64 %size)
  call void @leave()
  %none = icmp eq ptr %found, null
  br i1 %none, label %new, label %again
again:
  ret ptr %found
new:
  %data = call ptr @fresh(i64 %size)
  ret ptr %data
}}

define internal void @release(ptr %context, ptr %data, i64 %size) nounwind {{
begin:
  %none = icmp eq ptr %data, null
  br i1 %none, label %end, label %some
some:
  %capacity = call i64 @capacity(ptr %data)
  %large = icmp uge i64 %capacity, {LEAST}
  br i1 %large, label %ask, label %drop
ask:
  %free = call i1 @enter()
  br i1 %free, label %keep, label %drop
keep:
  call void @keep(ptr %data, i64 %capacity)
  call void @leave()
  br label %end
drop:
  call void @discard(ptr %data)
  br label %end
end:
  ret void
}}

declare {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64, i64)

define internal ptr @allocate_zeros(ptr %context, i64 %number, i64 %each) nounwind {{
begin:
  %product = call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 %number, i64 %each)
  %size = extractvalue {{ i64, i1 }} %product, 0
  %overflow = extractvalue {{ i64, i1 }} %product, 1
  br i1 %overflow, label %none, label %try
try:
  %data = call ptr @allocate(ptr %context, i64 %size)
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %none, label %clear
clear:
  %memset = load ptr, ptr @at_memset
  %cleared = call ptr %memset(ptr %data, i32 0, i64 %size)
  ret ptr %data
none:
  ret ptr null
}}

define internal ptr @resize(ptr %context, ptr %data, i64 %size) nounwind {{
begin:
  %new = call ptr @allocate(ptr %context, i64 %size)
  %failed = icmp eq ptr %new, null
  %nothing = icmp eq ptr %data, null
  %done = or i1 %failed, %nothing
  br i1 %done, label %end, label %copy
copy:
  %capacity = call i64 @capacity(ptr %data)
  %shorter = icmp ult i64 %capacity, %size
  %number = select i1 %shorter, i64 %capacity, i64 %size
  %memcpy = load ptr, ptr @at_memcpy
  %copied = call ptr %memcpy(ptr %new, ptr %data, i64 %number)
  call void @release(ptr %context, ptr %data, i64 %number)
  br label %end
end:
  ret ptr %new
}}

@pool_handler = global {{ [127 x i8], i8, ptr, ptr, ptr, ptr, ptr }} {{
  [127 x i8] c"{NAME}{chr(92) + "00"}{(chr(92) + "00") * (126 - len(NAME))}", i8 1,
  ptr null, ptr @allocate, ptr @allocate_zeros, ptr @resize, ptr @release
}}
"""


def _call(head: int) -> str:
    """`pool_call(capsule, (ufunc, *arguments), count, names)`: while it runs, NumPy takes new arrays from the store, if
    there is a batch among the arguments.
    """
    return f"""
@pool_context = global [2 x ptr] zeroinitializer

define internal i1 @is_batch(ptr %object) nounwind {{
begin:
  %type.at = getelementptr i8, ptr %object, i64 {head - 8}
  %type = load ptr, ptr %type.at
  %array_type = load ptr, ptr @pool_context
  %is_array = icmp eq ptr %type, %array_type
  br i1 %is_array, label %array, label %no
array:
  %axes.at = getelementptr i8, ptr %object, i64 {head + 8}
  %axes = load i32, ptr %axes.at
  %several = icmp sgt i32 %axes, 1
  br i1 %several, label %yes, label %some
some:
  %none = icmp eq i32 %axes, 0
  br i1 %none, label %no, label %one
one:
  %sizes.at = getelementptr i8, ptr %object, i64 {head + 16}
  %sizes = load ptr, ptr %sizes.at
  %size = load i64, ptr %sizes
  %long = icmp sge i64 %size, {BATCH}
  ret i1 %long
yes:
  ret i1 true
no:
  ret i1 false
}}

define ptr @pool_call(ptr %capsule, ptr %args, i64 %count, ptr %names) {{
begin:
  %error = alloca [3 x ptr]
  %ufunc = load ptr, ptr %args
  %rest = getelementptr ptr, ptr %args, i64 1
  %number = sub i64 %count, 1
  %vectorcall = load ptr, ptr @at_vectorcall
  %no_options = icmp eq ptr %names, null
  br i1 %no_options, label %each, label %plain
each:
  %k = phi i64 [1, %begin], [%k.next, %look]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %look, label %plain
look:
  %object.at = getelementptr ptr, ptr %args, i64 %k
  %object = load ptr, ptr %object.at
  %batch = call i1 @is_batch(ptr %object)
  %k.next = add i64 %k, 1
  br i1 %batch, label %set, label %each
plain:
  %direct = call ptr %vectorcall(ptr %ufunc, ptr %rest, i64 %number, ptr %names)
  ret ptr %direct
set:
  %set_handler.at = getelementptr ptr, ptr @pool_context, i64 1
  %set_handler = load ptr, ptr %set_handler.at
  %before = call ptr %set_handler(ptr %capsule)
  %not_set = icmp eq ptr %before, null
  br i1 %not_set, label %failed, label %run
failed:
  ret ptr null
run:
  %result = call ptr %vectorcall(ptr %ufunc, ptr %rest, i64 %number, ptr %names)
  %error.1 = getelementptr ptr, ptr %error, i64 1
  %error.2 = getelementptr ptr, ptr %error, i64 2
  %fetch = load ptr, ptr @at_fetch_error
  call void %fetch(ptr %error, ptr %error.1, ptr %error.2)
  %drop = load ptr, ptr @at_drop_python
  %own = call ptr %set_handler(ptr %before)
  call void %drop(ptr %own)
  call void %drop(ptr %before)
  %type = load ptr, ptr %error
  %value = load ptr, ptr %error.1
  %trace = load ptr, ptr %error.2
  %restore = load ptr, ptr @at_restore_error
  call void %restore(ptr %type, ptr %value, ptr %trace)
  ret ptr %result
}}
"""
