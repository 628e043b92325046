"""MLX's devices where there is no GPU: a name `mx.gpu` that operations take, and a default device that says which it is.

A project asks `mx.default_device() == mx.gpu` to choose between its kernel and a reference, or for the device's name. So
the two are told apart, though all runs on the CPU.
"""

from __future__ import annotations

import contextlib
import contextvars
from typing import Any, Callable, Iterator

#: Whether what runs now asks for the GPU, which is the default device of a Mac.
_on_gpu: "contextvars.ContextVar[bool]" = contextvars.ContextVar("assay_on_gpu", default=True)


class Devices:
    """What stands in MLX's place. `gpu` is a device of the CPU, so operations take it, and known by its identity."""

    def __init__(self, mx: Any) -> None:
        self._mx = mx
        self.real = mx.Device
        self.gpu = mx.Device(mx.cpu, 0)
        self.cpu = mx.Device(mx.cpu, 0)
        self._default_on_gpu = True
        devices = self

        class Default:
            """What `mx.default_device()` gives."""

            def __init__(self, on_gpu: bool) -> None:
                self.on_gpu = on_gpu

            @property
            def type(self) -> Any:
                return mx.DeviceType.gpu if self.on_gpu else mx.DeviceType.cpu

            def __eq__(self, other: object) -> bool:
                if isinstance(other, Default):
                    return self.on_gpu == other.on_gpu
                return devices.is_gpu(other) if self.on_gpu else not devices.is_gpu(other) and devices.cpu == other

            def __hash__(self) -> int:
                return hash(self.on_gpu)

            def __repr__(self) -> str:
                return f"Device({'gpu' if self.on_gpu else 'cpu'}, 0)"

        class OfType(type):
            def __instancecheck__(cls, one: Any) -> bool:
                return isinstance(one, (devices.real, Default))

        class Device(metaclass=OfType):
            def __new__(cls, kind: Any, index: int = 0) -> Any:
                return devices.gpu if devices.is_gpu(kind) else devices.real(kind, index)

        self.Default, self.Device = Default, Device

    def is_gpu(self, one: Any) -> bool:
        return one is self.gpu or one is self._mx.DeviceType.gpu or (isinstance(one, self.Default) and one.on_gpu)

    def changes(self) -> list[tuple[Any, str, Any]]:
        """What is put in MLX's place: where, under which name, and what."""
        of_mlx, shown = self.real.__eq__, self.real.__repr__

        def equal(one: Any, other: object) -> Any:
            if isinstance(other, self.Default):
                return other == one
            if one is self.gpu or other is self.gpu:
                return self.is_gpu(one) and self.is_gpu(other)
            return of_mlx(one, other)

        return [
            (self._mx, "gpu", self.gpu),
            (self._mx, "Device", self.Device),
            (self._mx, "default_device", self.default_device),
            (self._mx, "set_default_device", self.set_default_device),
            (self._mx, "stream", self.stream(self._mx.stream)),
            (self.real, "__eq__", equal),
            (self.real, "__repr__", lambda one: "Device(gpu, 0)" if one is self.gpu else shown(one)),
        ]

    def _usual(self, one: Any) -> Any:
        """As MLX itself takes it."""
        return self._mx.cpu if self.is_gpu(one) or isinstance(one, self.Default) else one

    def default_device(self) -> Any:
        return self.Default(_on_gpu.get() and self._default_on_gpu)

    def set_default_device(self, device: Any) -> None:
        self._default_on_gpu = self.is_gpu(device)

    def stream(self, of_mlx: Callable[..., Any]) -> Callable[..., Any]:
        @contextlib.contextmanager
        def stream(one: Any) -> Iterator[Any]:
            is_device = self.is_gpu(one) or isinstance(one, (self.Default, self.real, self._mx.DeviceType))
            token = _on_gpu.set(self.is_gpu(one)) if is_device else None
            before, self._default_on_gpu = self._default_on_gpu, True if is_device else self._default_on_gpu
            try:
                with of_mlx(self._usual(one)) as entered:
                    yield entered
            finally:
                self._default_on_gpu = before
                if token is not None:
                    _on_gpu.reset(token)

        return stream
