"""The base of a rover as a free body in time: wheels on springs, rocking, tipping over, flight, landing and impact.

The speeds are U = (velocity of the base frame's origin and angular velocity in base axes, qd, rates of spinning
wheels). A contact k touches the ground at the point r_k with the normal n_k, in base axes. With the rows G of the
normals, G_k = (n_k, r_k x n_k), and D of what contacts hold and roll along (`robot.wheels.contacts`), as they stand on
the tilted base,

    M Udot + h = Q + G^T N + D^T f,

- rigid contacts: 0 <= N_k, 0 <= rate of (G U)_k, and one of them is zero where contact k touches (gap and G U zero);
- wheels on springs: N_k from the depth to which the tyre is pressed in, and its rate; hubs of suspensions move;
- friction: |f_i| <= mu N_k, with no slip, or f = - mu N_k against the slip.

Which contacts touch and which elements stick is a complementarity problem, in accelerations while all is smooth and in
impulses at an impact (`settling`); it is solved by its convex half, Gauss' principle of least constraint (`cones`),
and a fixed point for the normal forces in the friction limits. What they do is the mode; within one the equations are
linear and exact (`forces`), so that the accuracy is that of the integrator.
"""
