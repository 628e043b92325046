// The program that precompiles the tests' common headers (CMakeLists.txt); it does nothing.
int main() { return 0; }
