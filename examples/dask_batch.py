"""More states than fit into memory: the same call on Dask arrays, block by block, here or on many machines.

Needs Dask: pip install 'loadpath[study]'
"""

import dask.array as da

import loadpath as lp

robot = lp.catalog.puma560()
states = 400_000

# Nothing is computed yet: these are recipes for blocks of 50 000 states.
random = da.random.default_rng(7)
q = random.uniform(-1.5, 1.5, (states, robot.n), chunks=(50_000, -1))
qd = random.normal(0, 1.0, (states, robot.n), chunks=(50_000, -1))
qdd = random.normal(0, 2.0, (states, robot.n), chunks=(50_000, -1))

tau = robot.inverse_dynamics(q, qd, qdd)
print(tau)

peak, mean = abs(tau).max(axis=0), abs(tau).mean(axis=0)
peak, mean = da.compute(peak, mean)  # one pass over all states, in parallel
for name, high, usual in zip(robot.dof_names, peak, mean, strict=True):
    print(f"{name}: largest {high:7.1f} N m, mean {usual:6.1f} N m")
