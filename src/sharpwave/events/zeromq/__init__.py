"""Events over ZeroMQ, as protobuf messages, encrypted with CurveZMQ. Needs `sharpwave[zeromq]`."""
