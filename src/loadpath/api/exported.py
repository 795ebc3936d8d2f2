"""Ways out to other tools: the methods of a robot that export its compiled quantities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loadpath.api.readable import Readable
from loadpath.exports.request import NO_CHOICES, ExternalLinks, request

if TYPE_CHECKING:
    import casadi
    import jax

    from loadpath.exports.webassembly.kernel import WebAssemblyKernel


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class Exported(Readable):
    """A robot whose quantities can be taken to other tools."""

    _purpose = "To other tools"

    def casadi_function(
        self,
        name: str,
        *,
        link: str | None = None,
        formulation: str | None = None,
        external: ExternalLinks = (),
        arrays: Sequence[str] = (),
        choices: Mapping[str, Hashable] = NO_CHOICES,
        parameters: Sequence[str] = (),
    ) -> casadi.Function:
        """A compiled quantity as a `casadi.Function`, for optimal control (see `loadpath.exports.casadi_function`).

        `external=["hand"]` adds an argument with the wrench on each of these links, in world axes;
        `external={"hand": "link"}` in the axes of the link. `arrays=["base_acceleration"]` adds arguments that may be
        left out; `choices={"joint": "joint2"}` are those of the method. `parameters=["gravity", "payload.mass"]` makes
        arguments of gravity and of masses of links.

        >>> import loadpath as lp
        >>> lp.catalog.panda().casadi_function("jacobian")
        Function(jacobian:(q[7])->(jacobian[6x7]) SXFunction)
        """
        from loadpath.exports.casadi_function import casadi_function

        asked = request(self, name, link=link, formulation=formulation, external=external, arrays=arrays,
                        choices=choices, parameters=parameters)
        return casadi_function(asked)

    def c_source(
        self,
        name: str,
        *,
        link: str | None = None,
        formulation: str | None = None,
        external: ExternalLinks = (),
        arrays: Sequence[str] = (),
        choices: Mapping[str, Hashable] = NO_CHOICES,
        parameters: Sequence[str] = (),
        function_name: str | None = None,
        scalar: Literal["double", "float"] = "double",
    ) -> str:
        """A compiled quantity as C99 source without dependencies or allocation (see `loadpath.exports.c_source`).

        >>> import loadpath as lp
        >>> "void hold(const float *q, float *tau)" in lp.catalog.two_link().c_source(
        ...     "gravity_forces", function_name="hold", scalar="float")
        True
        """
        from loadpath.exports.c_source import c_source

        asked = request(self, name, link=link, formulation=formulation, external=external, arrays=arrays,
                        choices=choices, parameters=parameters)
        return c_source(asked, function_name, scalar)

    def jax(
        self,
        name: str,
        *,
        link: str | None = None,
        formulation: str | None = None,
        external: ExternalLinks = (),
        arrays: Sequence[str] = (),
        choices: Mapping[str, Hashable] = NO_CHOICES,
        parameters: Sequence[str] = (),
    ) -> Callable[..., jax.Array | tuple[jax.Array, ...]]:
        """A compiled quantity as a function of JAX arrays, of one state (see `loadpath.exports.jax_function`). Under
        `jax.jit`, XLA takes seconds to compile it.

        >>> import loadpath as lp
        >>> import jax  # doctest: +SKIP
        >>> jax.vmap(lp.catalog.two_link().jax("gravity_forces"))(jax.numpy.zeros((5, 2))).shape  # doctest: +SKIP
        (5, 2)
        """
        from loadpath.exports.jax_function import jax_function

        asked = request(self, name, link=link, formulation=formulation, external=external, arrays=arrays,
                        choices=choices, parameters=parameters)
        return jax_function(asked)

    def javascript_source(
        self,
        name: str,
        *,
        link: str | None = None,
        formulation: str | None = None,
        external: ExternalLinks = (),
        arrays: Sequence[str] = (),
        choices: Mapping[str, Hashable] = NO_CHOICES,
        parameters: Sequence[str] = (),
        function_name: str | None = None,
        module: Literal["esm", "script"] = "esm",
    ) -> str:
        """A compiled quantity as JavaScript without dependencies, over Float64Arrays of one state or many: an ES module
        or a script (see `loadpath.exports.javascript`).

        >>> import loadpath as lp
        >>> source = lp.catalog.two_link().javascript_source("gravity_forces", function_name="hold")
        >>> "function hold(q, tau, count = 1) {" in source
        True
        """
        from loadpath.exports.javascript import javascript_source

        asked = request(self, name, link=link, formulation=formulation, external=external, arrays=arrays,
                        choices=choices, parameters=parameters)
        return javascript_source(asked, function_name, module)

    def wasm(
        self,
        name: str,
        *,
        link: str | None = None,
        formulation: str | None = None,
        external: ExternalLinks = (),
        arrays: Sequence[str] = (),
        choices: Mapping[str, Hashable] = NO_CHOICES,
        parameters: Sequence[str] = (),
    ) -> WebAssemblyKernel:
        """A compiled quantity as a WebAssembly module with its JavaScript loader, for batches of states in a page (see
        `loadpath.exports.webassembly`).

        >>> import loadpath as lp
        >>> loaded = lp.catalog.panda().with_payload(2.0)
        >>> kernel = loaded.wasm("inverse_dynamics", parameters=["payload.mass", "gravity"])
        >>> [operand.name for operand in kernel.inputs], kernel.module[:4]
        (['q', 'qd', 'qdd', 'payload_mass', 'gravity'], b'\\x00asm')
        """
        from loadpath.exports.webassembly.kernel import webassembly

        asked = request(self, name, link=link, formulation=formulation, external=external, arrays=arrays,
                        choices=choices, parameters=parameters)
        return webassembly(asked)
