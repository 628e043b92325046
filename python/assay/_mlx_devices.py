"""MLX's devices where there is no GPU: `mx.gpu` is a device that operations take, and that is none of the CPU.

A project asks `mx.default_device() == mx.gpu` to choose between its kernel and a reference, or for the device's name. So
the two are told apart, though all runs on the CPU.
"""

from __future__ import annotations

import contextlib
import contextvars
from typing import Any, Callable, Iterator, Optional

#: What the innermost `mx.stream` asks for; None: the default device, which is the GPU on a Mac.
_asked: "contextvars.ContextVar[Optional[bool]]" = contextvars.ContextVar("assay_asked_for_gpu", default=None)


class Devices:
    """`gpu` is a device of the CPU for MLX, and known by its identity."""

    def __init__(self, mx: Any) -> None:
        self._mx = mx
        self.real = mx.Device
        self.gpu, self.cpu = mx.Device(mx.cpu, 0), mx.Device(mx.cpu, 0)
        self._default_is_gpu = True
        devices = self

        class OfType(type):
            def __instancecheck__(cls, one: Any) -> bool:
                return isinstance(one, devices.real)

        class Device(metaclass=OfType):
            def __new__(cls, kind: Any, index: int = 0) -> Any:
                return devices.gpu if devices.is_gpu(kind) else devices.real(kind, index)

        self.Device = Device

    def is_gpu(self, one: Any) -> bool:
        return one is self.gpu or one is self._mx.DeviceType.gpu

    def changes(self) -> list[tuple[Any, str, Any]]:
        """What is put in MLX's place: where, under which name, and what."""
        of_mlx, shown, type_of = self.real.__eq__, self.real.__repr__, self.real.type

        def equal(one: Any, other: object) -> Any:
            if one is self.gpu or other is self.gpu:
                return self.is_gpu(one) and self.is_gpu(other)
            return of_mlx(one, other)

        def type_of_device(one: Any) -> Any:
            return self._mx.DeviceType.gpu if one is self.gpu else type_of.__get__(one)

        return [
            (self._mx, "gpu", self.gpu),
            (self._mx, "Device", self.Device),
            (self._mx, "default_device", self.default_device),
            (self._mx, "set_default_device", self.set_default_device),
            (self._mx, "stream", self.stream(self._mx.stream)),
            (self.real, "__eq__", equal),
            (self.real, "__repr__", lambda one: "Device(gpu, 0)" if one is self.gpu else shown(one)),
            (self.real, "type", property(type_of_device)),
        ]

    def default_device(self) -> Any:
        asked = _asked.get()
        return self.gpu if (self._default_is_gpu if asked is None else asked) else self.cpu

    def set_default_device(self, device: Any) -> None:
        self._default_is_gpu = self.is_gpu(device)

    def stream(self, of_mlx: Callable[..., Any]) -> Callable[..., Any]:
        @contextlib.contextmanager
        def stream(one: Any) -> Iterator[Any]:
            is_device = isinstance(one, (self.real, self._mx.DeviceType))
            token = _asked.set(self.is_gpu(one) if is_device else _asked.get())
            try:
                with of_mlx(self._mx.cpu if is_device else one) as entered:
                    yield entered
            finally:
                _asked.reset(token)

        return stream
