// SPDX-License-Identifier: Apache-2.0
// modalities/plain: the rooms as namespaces, and which room sees the names of which.
//
// Two types of one name in two rooms are two types; a room that sees both must say which it means.
#pragma once

namespace relbias {

namespace plain {}  // namespace plain
namespace modalities {
using namespace plain;
}
namespace encodings {
using namespace modalities;
}
namespace results {
using namespace plain;
}
namespace experiments {
using namespace encodings;
using namespace results;
}  // namespace experiments

}  // namespace relbias
