// SPDX-License-Identifier: Apache-2.0
// tests: what the user is told.
#pragma once

#include <string>

#include "modalities/plain/check.h"

namespace relbias::plain {

/// The message of the InputError that `act` throws, "no error" where it throws none.
template <class Act>
std::string error_of(Act&& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace relbias::plain
