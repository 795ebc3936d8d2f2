"""Which sizes to take: parts from tables at several joints, every combination judged with its own weight.

What is chosen at a joint weighs on all joints before it, and its rotor on its own. Loads are affine in these masses
(`loads`), so that those of any combination are sums; each joint is judged by the examiners and rules of `verdict`
(`stations`), from the tip to the base (`search`). `size` is what users call, `result` what they get.
"""
