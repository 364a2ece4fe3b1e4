// SPDX-License-Identifier: Apache-2.0
// modalities/plain: what is said to a user whose input is wrong, in one form everywhere.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::plain {

/// The user's input is wrong: the message names the place, the value found and the value expected.
/// Our own faults are c10::Error (TORCH_INTERNAL_ASSERT), so that the two are never mixed up.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws InputError with a formatted message.
template <class... Args>
[[noreturn]] void input_error(fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(fmt::format(format, std::forward<Args>(args)...));
}

/// The valid word nearest to `word` by edit distance, or "" where none is near enough to be a
/// misspelling.
std::string nearest(std::string_view word, const std::vector<std::string>& valid);

/// `unknown encoding 'alibbi': did you mean 'alibi'? valid: alibi, none, t5`
[[noreturn]] void unknown_word(std::string_view kind, std::string_view word,
                               const std::vector<std::string>& valid);

}  // namespace relbias::plain
