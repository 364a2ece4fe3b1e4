// SPDX-License-Identifier: Apache-2.0
// results/report/page: the page around the data.
#pragma once

#include <string>

namespace relbias::results {

/// page.html with page.css, page.js, Plotly and the data put in. Nothing of the data can end its
/// script element, whatever texts the runs hold.
std::string page_with(const std::string& title, const std::string& json, const std::string& plotly);

}  // namespace relbias::results
