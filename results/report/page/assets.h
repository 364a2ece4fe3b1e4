// SPDX-License-Identifier: Apache-2.0
// results/report/page: page.html, page.css and the scripts, which the build puts into the program.
#pragma once

#include <string>

namespace relbias::results::assets {

extern const std::string page_html;
extern const std::string page_css;
extern const std::string page_js;

}  // namespace relbias::results::assets
