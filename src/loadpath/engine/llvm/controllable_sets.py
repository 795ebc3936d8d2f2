"""LLVM text of one loop: controllable sets backward, and the fastest motion in them forward, path after path.

    void controllable_sets(paths, intervals, rows, alpha, beta, gamma, h, start, top, u, x, low, high, failed, work)

Rows alpha u + beta x <= gamma are (paths, intervals, rows), `h` (paths, intervals), `start` (paths,), `top`
(paths, intervals + 1); written are `u` (paths, intervals), `x`, `low` and `high` (paths, intervals + 1), and the number
of the point whose set is empty, `failed` (paths,), -1 where there is a motion. `work` has room for 16 numbers and four
for each row, rows counted up to a multiple of `LANES`. What it computes is told in `loadpath.fastest.controllable`.

Rows of a point are first solved for u, once: lines value - slope x, those that u stays below and those that it stays
above each in a list of their own, with lines at infinity in the places of the others. So what is left of u at some x is
a minimum and a maximum over whole lists, some lanes at once, and no lane asks what it is.
"""

from __future__ import annotations

import struct

SYMBOL = "controllable_sets"
LANES = 4
HEAD = 16
"""Numbers at the beginning of `work`: four for the results of `left`, two for those of `prepare`."""
LEAST, MOST = 4, 5

_INFINITY, _MINUS_INFINITY = "0x7FF0000000000000", "0xFFF0000000000000"
_NAN = "0x7FF8000000000000"
_V = f"<{LANES} x double>"


def controllable_sets_text(no_slope: float, touching: float, fastest: float, steps: int) -> str:
    """The text, with the constants of `loadpath.fastest.controllable`."""
    return "\n".join([
        "declare double @llvm.fabs.f64(double)",
        "declare double @llvm.minnum.f64(double, double)",
        "declare double @llvm.maxnum.f64(double, double)",
        _prepare(no_slope), _left(), _root(touching, steps), _sets(fastest),
    ])


def _number(value: float) -> str:
    """As LLVM writes it exactly."""
    return f"0x{struct.pack('>d', value).hex().upper()}"


def _splat(name: str, value: str) -> str:
    return (f"  %{name}.one = insertelement {_V} poison, double {value}, i32 0\n"
            f"  %{name} = shufflevector {_V} %{name}.one, {_V} poison, <{LANES} x i32> zeroinitializer\n")


def _prepare(no_slope: float) -> str:
    """Lines from rows, and what rows without u leave of x."""
    return f"""
define internal void @prepare(ptr %alpha, ptr %beta, ptr %gamma, i64 %rows, i64 %width, ptr %work) alwaysinline {{
begin:
  %above.value = getelementptr double, ptr %work, i64 {HEAD}
  %above.slope = getelementptr double, ptr %above.value, i64 %width
  %below.value = getelementptr double, ptr %above.slope, i64 %width
  %below.slope = getelementptr double, ptr %below.value, i64 %width
  br label %scaling
scaling:
  %k = phi i64 [0, %begin], [%k.next, %scaling]
  %scale = phi double [1.0e-300, %begin], [%scale.next, %scaling]
  %a.at = getelementptr double, ptr %alpha, i64 %k
  %a.here = load double, ptr %a.at, align 8
  %a.size = call double @llvm.fabs.f64(double %a.here)
  %scale.next = call double @llvm.maxnum.f64(double %scale, double %a.size)
  %k.next = add i64 %k, 1
  %k.more = icmp slt i64 %k.next, %rows
  br i1 %k.more, label %scaling, label %solving.begin
solving.begin:
  %least.size = fmul double %scale.next, {_number(no_slope)}
  br label %solving
solving:
  %j = phi i64 [0, %solving.begin], [%j.next, %solving]
  %least = phi double [0.0, %solving.begin], [%least.next, %solving]
  %most = phi double [{_INFINITY}, %solving.begin], [%most.next, %solving]
  %pa = getelementptr double, ptr %alpha, i64 %j
  %pb = getelementptr double, ptr %beta, i64 %j
  %pc = getelementptr double, ptr %gamma, i64 %j
  %a = load double, ptr %pa, align 8
  %b = load double, ptr %pb, align 8
  %c = load double, ptr %pc, align 8
  %size = call double @llvm.fabs.f64(double %a)
  %has = fcmp ogt double %size, %least.size
  %up = fcmp ogt double %a, 0.0
  %above = and i1 %has, %up
  %down = xor i1 %up, true
  %below = and i1 %has, %down
  %value = fdiv double %c, %a
  %slope = fdiv double %b, %a
  %above.v = select i1 %above, double %value, double {_INFINITY}
  %above.s = select i1 %above, double %slope, double 0.0
  %below.v = select i1 %below, double %value, double {_MINUS_INFINITY}
  %below.s = select i1 %below, double %slope, double 0.0
  %to0 = getelementptr double, ptr %above.value, i64 %j
  %to1 = getelementptr double, ptr %above.slope, i64 %j
  %to2 = getelementptr double, ptr %below.value, i64 %j
  %to3 = getelementptr double, ptr %below.slope, i64 %j
  store double %above.v, ptr %to0, align 8
  store double %above.s, ptr %to1, align 8
  store double %below.v, ptr %to2, align 8
  store double %below.s, ptr %to3, align 8
  %none = xor i1 %has, true
  %rising = fcmp ogt double %b, 0.0
  %falling = fcmp olt double %b, 0.0
  %flat = fcmp oeq double %b, 0.0
  %negative = fcmp olt double %c, 0.0
  %alone = fdiv double %c, %b
  %caps = and i1 %none, %rising
  %cap = select i1 %caps, double %alone, double {_INFINITY}
  %never.flat = and i1 %flat, %negative
  %never = and i1 %none, %never.flat
  %cap.or = select i1 %never, double {_MINUS_INFINITY}, double %cap
  %most.next = call double @llvm.minnum.f64(double %most, double %cap.or)
  %lifts = and i1 %none, %falling
  %lift = select i1 %lifts, double %alone, double 0.0
  %least.next = call double @llvm.maxnum.f64(double %least, double %lift)
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, %rows
  br i1 %j.more, label %solving, label %padding.begin
padding.begin:
  %at.least = getelementptr double, ptr %work, i64 {LEAST}
  %at.most = getelementptr double, ptr %work, i64 {MOST}
  store double %least.next, ptr %at.least, align 8
  store double %most.next, ptr %at.most, align 8
  %pads = icmp slt i64 %rows, %width
  br i1 %pads, label %padding, label %end
padding:
  %i = phi i64 [%rows, %padding.begin], [%i.next, %padding]
  %pad0 = getelementptr double, ptr %above.value, i64 %i
  %pad1 = getelementptr double, ptr %above.slope, i64 %i
  %pad2 = getelementptr double, ptr %below.value, i64 %i
  %pad3 = getelementptr double, ptr %below.slope, i64 %i
  store double {_INFINITY}, ptr %pad0, align 8
  store double 0.0, ptr %pad1, align 8
  store double {_MINUS_INFINITY}, ptr %pad2, align 8
  store double 0.0, ptr %pad3, align 8
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %width
  br i1 %i.more, label %padding, label %end
end:
  ret void
}}
"""


def _left() -> str:
    """The lines that leave least of u at some x, into the beginning of `work`: value and slope of what u must be at
    least, then of what it must be at most. Both begin with the line into the next set.
    """
    sides = ""
    for side, compare in (("below", "ogt"), ("above", "olt")):
        sides += f"""
  %{side}.pv = getelementptr double, ptr %{side}.value, i64 %k
  %{side}.ps = getelementptr double, ptr %{side}.slope, i64 %k
  %{side}.v = load {_V}, ptr %{side}.pv, align 8
  %{side}.s = load {_V}, ptr %{side}.ps, align 8
  %{side}.product = fmul {_V} %{side}.s, %xs
  %{side}.line = fsub {_V} %{side}.v, %{side}.product
  %{side}.better = fcmp {compare} {_V} %{side}.line, %{side}.best
  %{side}.best.next = select <{LANES} x i1> %{side}.better, {_V} %{side}.line, {_V} %{side}.best
  %{side}.bv.next = select <{LANES} x i1> %{side}.better, {_V} %{side}.v, {_V} %{side}.bv
  %{side}.bs.next = select <{LANES} x i1> %{side}.better, {_V} %{side}.s, {_V} %{side}.bs"""
    ends = ""
    for side, compare, first in (("below", "ogt", 0), ("above", "olt", 2)):
        best, v, s = ([f"%{side}.{part}.{lane}" for lane in range(LANES)] for part in ("b", "w", "t"))
        for lane in range(LANES):
            for name, source in ((best, "best.next"), (v, "bv.next"), (s, "bs.next")):
                ends += f"\n  {name[lane]} = extractelement {_V} %{side}.{source}, i32 {lane}"
        now = best[0], v[0], s[0]
        for lane in range(1, LANES):
            ends += f"\n  %{side}.c.{lane} = fcmp {compare} double {best[lane]}, {now[0]}"
            for what, old, new in zip("bws", now, (best[lane], v[lane], s[lane]), strict=True):
                ends += (f"\n  %{side}.n{what}.{lane} = select i1 %{side}.c.{lane}, double {new}, double {old}")
            now = f"%{side}.nb.{lane}", f"%{side}.nw.{lane}", f"%{side}.ns.{lane}"
        ends += f"""
  %{side}.to.v = getelementptr double, ptr %work, i64 {first}
  %{side}.to.s = getelementptr double, ptr %work, i64 {first + 1}
  store double {now[1]}, ptr %{side}.to.v, align 8
  store double {now[2]}, ptr %{side}.to.s, align 8"""
    return f"""
define internal void @left(ptr %work, i64 %width, double %x, double %to.low, double %to.high, double %half) {{
begin:
  %above.value = getelementptr double, ptr %work, i64 {HEAD}
  %above.slope = getelementptr double, ptr %above.value, i64 %width
  %below.value = getelementptr double, ptr %above.slope, i64 %width
  %below.slope = getelementptr double, ptr %below.value, i64 %width
  %away = fmul double %half, %x
  %low.line = fsub double %to.low, %away
  %high.line = fsub double %to.high, %away
{_splat("xs", "%x")}{_splat("halfs", "%half")}{_splat("lows", "%to.low")}{_splat("highs", "%to.high")}
{_splat("low.lines", "%low.line")}{_splat("high.lines", "%high.line")}
  br label %loop
loop:
  %k = phi i64 [0, %begin], [%k.next, %loop]
  %below.best = phi {_V} [%low.lines, %begin], [%below.best.next, %loop]
  %below.bv = phi {_V} [%lows, %begin], [%below.bv.next, %loop]
  %below.bs = phi {_V} [%halfs, %begin], [%below.bs.next, %loop]
  %above.best = phi {_V} [%high.lines, %begin], [%above.best.next, %loop]
  %above.bv = phi {_V} [%highs, %begin], [%above.bv.next, %loop]
  %above.bs = phi {_V} [%halfs, %begin], [%above.bs.next, %loop]
{sides}
  %k.next = add i64 %k, {LANES}
  %more = icmp slt i64 %k.next, %width
  br i1 %more, label %loop, label %end
end:
{ends}
  ret void
}}
"""


def _four() -> str:
    return "".join(
        f"  %p{k} = getelementptr double, ptr %work, i64 {k}\n  %{name} = load double, ptr %p{k}, align 8\n"
        for k, name in enumerate(("least.v", "least.s", "most.v", "most.s"))
    )


def _root(touching: float, steps: int) -> str:
    """The first x from one end at which something is left of u; no number where there is none."""
    return f"""
define internal double @root(ptr %work, i64 %width, double %to.low, double %to.high, double %half, double %begin.x,
                             double %end.x, double %sense) {{
begin:
  %leftward = fcmp olt double %sense, 0.0
  %first = select i1 %leftward, double %end.x, double %begin.x
  br label %step
step:
  %x = phi double [%first, %begin], [%new, %again]
  %count = phi i64 [0, %begin], [%count.next, %again]
  call void @left(ptr %work, i64 %width, double %x, double %to.low, double %to.high, double %half)
{_four()}
  %least.away = fmul double %least.s, %x
  %most.away = fmul double %most.s, %x
  %low = fsub double %least.v, %least.away
  %high = fsub double %most.v, %most.away
  %over = fsub double %low, %high
  %low.size = call double @llvm.fabs.f64(double %low)
  %high.size = call double @llvm.fabs.f64(double %high)
  %sizes = fadd double %low.size, %high.size
  %slack = fmul double %sizes, {_number(touching)}
  %done = fcmp ole double %over, %slack
  br i1 %done, label %here, label %close
close:
  %closing = fsub double %most.s, %least.s
  %toward = fmul double %closing, %sense
  %opens = fcmp oge double %toward, 0.0
  br i1 %opens, label %nowhere, label %meet
meet:
  %apart = fsub double %most.v, %least.v
  %new = fdiv double %apart, %closing
  %past.right = fcmp ogt double %new, %end.x
  %past.left = fcmp olt double %new, %begin.x
  %past = select i1 %leftward, i1 %past.left, i1 %past.right
  br i1 %past, label %nowhere, label %move
move:
  %moved = fsub double %new, %x
  %along = fmul double %moved, %sense
  %stands = fcmp ole double %along, 0.0
  br i1 %stands, label %here, label %again
again:
  %count.next = add i64 %count, 1
  %goes.on = icmp slt i64 %count.next, {steps}
  br i1 %goes.on, label %step, label %gave.up
gave.up:
  ret double %new
here:
  ret double %x
nowhere:
  ret double {_NAN}
}}
"""


def _sets(fastest: float) -> str:
    """Path after path: backward, then forward."""
    return f"""
define void @{SYMBOL}(i64 %paths, i64 %count, i64 %rows, ptr %all.alpha, ptr %all.beta, ptr %all.gamma, ptr %all.h,
                      ptr %all.start, ptr %all.top, ptr %all.u, ptr %all.x, ptr %all.low, ptr %all.high,
                      ptr %all.failed, ptr %work) {{
begin:
  %up = add i64 %rows, {LANES - 1}
  %width = and i64 %up, -{LANES}
  %points = add i64 %count, 1
  %matrix = mul i64 %count, %rows
  %some = icmp sgt i64 %paths, 0
  br i1 %some, label %path, label %end
path:
  %p = phi i64 [0, %begin], [%p.next, %path.done]
  %skip.rows = mul i64 %p, %matrix
  %skip.intervals = mul i64 %p, %count
  %skip.points = mul i64 %p, %points
  %alpha = getelementptr double, ptr %all.alpha, i64 %skip.rows
  %beta = getelementptr double, ptr %all.beta, i64 %skip.rows
  %gamma = getelementptr double, ptr %all.gamma, i64 %skip.rows
  %h = getelementptr double, ptr %all.h, i64 %skip.intervals
  %u = getelementptr double, ptr %all.u, i64 %skip.intervals
  %top = getelementptr double, ptr %all.top, i64 %skip.points
  %x = getelementptr double, ptr %all.x, i64 %skip.points
  %low = getelementptr double, ptr %all.low, i64 %skip.points
  %high = getelementptr double, ptr %all.high, i64 %skip.points
  %at.failed = getelementptr i64, ptr %all.failed, i64 %p
  %at.start = getelementptr double, ptr %all.start, i64 %p
  %top.last.at = getelementptr double, ptr %top, i64 %count
  %top.last = load double, ptr %top.last.at, align 8
  %high.last = call double @llvm.minnum.f64(double %top.last, double {_number(fastest)})
  %low.last.at = getelementptr double, ptr %low, i64 %count
  %high.last.at = getelementptr double, ptr %high, i64 %count
  store double 0.0, ptr %low.last.at, align 8
  store double %high.last, ptr %high.last.at, align 8
  %last = sub i64 %count, 1
  br label %back
back:
  %i = phi i64 [%last, %path], [%i.next, %back.done]
  %after.low = phi double [0.0, %path], [%low.or, %back.done]
  %after.high = phi double [%high.last, %path], [%high.i, %back.done]
  %skip = mul i64 %i, %rows
  %alpha.i = getelementptr double, ptr %alpha, i64 %skip
  %beta.i = getelementptr double, ptr %beta, i64 %skip
  %gamma.i = getelementptr double, ptr %gamma, i64 %skip
  call void @prepare(ptr %alpha.i, ptr %beta.i, ptr %gamma.i, i64 %rows, i64 %width, ptr %work)
  %at.least = getelementptr double, ptr %work, i64 {LEAST}
  %at.most = getelementptr double, ptr %work, i64 {MOST}
  %begin.x = load double, ptr %at.least, align 8
  %most = load double, ptr %at.most, align 8
  %top.at = getelementptr double, ptr %top, i64 %i
  %top.i = load double, ptr %top.at, align 8
  %end.0 = call double @llvm.minnum.f64(double %most, double %top.i)
  %end.x = call double @llvm.minnum.f64(double %end.0, double {_number(fastest)})
  %h.at = getelementptr double, ptr %h, i64 %i
  %h.i = load double, ptr %h.at, align 8
  %h.twice = fadd double %h.i, %h.i
  %half = fdiv double 1.0, %h.twice
  %to.low = fdiv double %after.low, %h.twice
  %to.high = fdiv double %after.high, %h.twice
  %there = fcmp ole double %begin.x, %end.x
  br i1 %there, label %search, label %failure
search:
  %high.i = call double @root(ptr %work, i64 %width, double %to.low, double %to.high, double %half, double %begin.x,
                              double %end.x, double -1.0)
  %found = fcmp ord double %high.i, %high.i
  br i1 %found, label %search.low, label %failure
search.low:
  %low.i = call double @root(ptr %work, i64 %width, double %to.low, double %to.high, double %half, double %begin.x,
                             double %high.i, double 1.0)
  %has.low = fcmp ord double %low.i, %low.i
  %low.or = select i1 %has.low, double %low.i, double %high.i
  %low.at = getelementptr double, ptr %low, i64 %i
  %high.at = getelementptr double, ptr %high, i64 %i
  store double %low.or, ptr %low.at, align 8
  store double %high.i, ptr %high.at, align 8
  %first = icmp eq i64 %i, 0
  br i1 %first, label %start, label %back.done
back.done:
  %i.next = sub i64 %i, 1
  br label %back
start:
  %start.x = load double, ptr %at.start, align 8
  %is.free = fcmp oeq double %start.x, {_INFINITY}
  %x.0 = select i1 %is.free, double %high.i, double %start.x
  %low.slack = fsub double %low.or, 1.0e-12
  %high.wide = fmul double %high.i, 1.000000001
  %high.slack = fadd double %high.wide, 1.0e-300
  %not.low = fcmp oge double %x.0, %low.slack
  %not.high = fcmp ole double %x.0, %high.slack
  %inside = and i1 %not.low, %not.high
  store double %x.0, ptr %x, align 8
  br i1 %inside, label %forth, label %failure.start
forth:
  %k = phi i64 [0, %start], [%k.next, %forth]
  %x.k = phi double [%x.0, %start], [%x.next, %forth]
  %k.next = add i64 %k, 1
  %skip.k = mul i64 %k, %rows
  %alpha.k = getelementptr double, ptr %alpha, i64 %skip.k
  %beta.k = getelementptr double, ptr %beta, i64 %skip.k
  %gamma.k = getelementptr double, ptr %gamma, i64 %skip.k
  call void @prepare(ptr %alpha.k, ptr %beta.k, ptr %gamma.k, i64 %rows, i64 %width, ptr %work)
  %low.k.at = getelementptr double, ptr %low, i64 %k.next
  %high.k.at = getelementptr double, ptr %high, i64 %k.next
  %low.k = load double, ptr %low.k.at, align 8
  %high.k = load double, ptr %high.k.at, align 8
  %h.k.at = getelementptr double, ptr %h, i64 %k
  %h.k = load double, ptr %h.k.at, align 8
  %h.k.twice = fadd double %h.k, %h.k
  %half.k = fdiv double 1.0, %h.k.twice
  %to.low.k = fdiv double %low.k, %h.k.twice
  %to.high.k = fdiv double %high.k, %h.k.twice
  call void @left(ptr %work, i64 %width, double %x.k, double %to.low.k, double %to.high.k, double %half.k)
  %at.most.v = getelementptr double, ptr %work, i64 2
  %at.most.s = getelementptr double, ptr %work, i64 3
  %most.v = load double, ptr %at.most.v, align 8
  %most.s = load double, ptr %at.most.s, align 8
  %most.away = fmul double %most.s, %x.k
  %u.most = fsub double %most.v, %most.away
  %gain = fmul double %h.k.twice, %u.most
  %x.reached = fadd double %x.k, %gain
  %x.above = call double @llvm.maxnum.f64(double %x.reached, double %low.k)
  %x.next = call double @llvm.minnum.f64(double %x.above, double %high.k)
  %x.change = fsub double %x.next, %x.k
  %u.k = fdiv double %x.change, %h.k.twice
  %u.at = getelementptr double, ptr %u, i64 %k
  %x.at = getelementptr double, ptr %x, i64 %k.next
  store double %u.k, ptr %u.at, align 8
  store double %x.next, ptr %x.at, align 8
  %k.more = icmp slt i64 %k.next, %count
  br i1 %k.more, label %forth, label %success
success:
  store i64 -1, ptr %at.failed, align 8
  br label %path.done
failure:
  store i64 %i, ptr %at.failed, align 8
  br label %path.done
failure.start:
  store i64 0, ptr %at.failed, align 8
  br label %path.done
path.done:
  %p.next = add i64 %p, 1
  %more = icmp slt i64 %p.next, %paths
  br i1 %more, label %path, label %end
end:
  ret void
}}
"""
