// Eigen's product as a shared library, for the baseline: Eigen is headers alone. `fetch eigen` compiles it for this processor.

#include <Eigen/Dense>
#include <cstddef>

namespace {

using Eigen::Dynamic, Eigen::Map, Eigen::OuterStride;

template <int Order>
using Matrix = Eigen::Matrix<float, Dynamic, Dynamic, Order>;
template <int Order>
using Strided = Map<const Matrix<Order>, Eigen::Unaligned, OuterStride<>>;

}  // namespace

// C [m, n] = A [m, k] · B [k, n]. A and C are row-major and without gaps; the rows of B are `row` values apart, its columns
// `column` values, and one of the two is 1. Eigen packs A and B on each call, but for a single row.
extern "C" void eigen_multiply(ptrdiff_t m, ptrdiff_t k, ptrdiff_t n, const float* a, const float* b, ptrdiff_t row,
                               ptrdiff_t column, float* c) {
    Map<const Matrix<Eigen::RowMajor>> left(a, m, k);
    Map<Matrix<Eigen::RowMajor>> product(c, m, n);
    if (column == 1) {
        product.noalias() = left * Strided<Eigen::RowMajor>(b, k, n, OuterStride<>(row));
    } else {
        product.noalias() = left * Strided<Eigen::ColMajor>(b, k, n, OuterStride<>(column));
    }
}
