// gemmlowp's product as a shared library, for `ci/peers/kernels`: gemmlowp is headers alone. `fetch gemmlowp` compiles it for
// this processor.

#include <gemmlowp/public/gemmlowp.h>

#include <cstdint>
#include <tuple>

namespace {

// What stands for zero in each operand.
constexpr int ZERO = 128;

}  // namespace

// C [m, n] = (A [m, k] − 128) · (B [k, n] − 128), as 32-bit sums, on one thread. B lies as [n, k]: gemmlowp's favourite order,
// with the weights on the left and all else transposed.
extern "C" void gemmlowp_multiply(int m, int k, int n, const uint8_t* a, const uint8_t* b, int32_t* c) {
    using gemmlowp::MapOrder, gemmlowp::MatrixMap;
    static thread_local gemmlowp::GemmContext context;
    context.set_max_num_threads(1);
    MatrixMap<const uint8_t, MapOrder::RowMajor> left(b, n, k);
    MatrixMap<const uint8_t, MapOrder::ColMajor> right(a, k, m);
    MatrixMap<int32_t, MapOrder::ColMajor> sums(c, n, m);
    gemmlowp::GemmWithOutputPipeline<uint8_t, int32_t, gemmlowp::DefaultL8R8BitDepthParams>(&context, left, right, &sums, -ZERO,
                                                                                          -ZERO, std::make_tuple());
}
