// SPDX-License-Identifier: Apache-2.0
// results/report/page: the page around the data.
#include "results/report/page/page.h"

#include <utility>
#include <vector>

#include "modalities/plain/escaped.h"
#include "results/report/page/assets.h"

namespace relbias::results {
std::string page_with(const std::string& title, const std::string& json,
                      const std::string& plotly) {
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"@TITLE@", escaped(title, {{'<', "&lt;"}, {'&', "&amp;"}})},
      {"@CSS@", assets::page_css},
      {"@DATA@", escaped(json, {{'<', "\\u003c"}})},
      {"@JS@", assets::page_js},
      {"@PLOTLY@", plotly}};
  std::string page;
  std::string_view rest = assets::page_html;
  for (const auto& [place, text] : parts) {  // in the order of the page
    const size_t at = rest.find(place);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + place.size());
  }
  return page.append(rest);
}

}  // namespace relbias::results
