// SPDX-License-Identifier: Apache-2.0
// modalities/image: letters as a font draws them, by FreeType.
#include "modalities/image/glyphs.h"

#include <ATen/ATen.h>
#include <ft2build.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "modalities/plain/check.h"
#include FT_BBOX_H
#include FT_FREETYPE_H
#include FT_OUTLINE_H

namespace relbias::modalities {
namespace {

constexpr int64_t letters = 26;
constexpr double filled = 0.75;  // of the picture's side

struct Font {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  Font() = default;
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;
  ~Font() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }
};

std::string design_of(std::string family) {
  for (const std::string& width : {" Condensed", " Narrow"}) {
    if (family.ends_with(width)) family.resize(family.size() - width.size());
  }
  return family;
}

// Moves the outline, in units of the font, to the middle of the picture, in 64ths of a pixel.
void fit(FT_Outline& outline, int64_t side) {
  FT_BBox box;
  FT_Outline_Get_BBox(&outline, &box);
  const auto larger =
      static_cast<double>(std::max<FT_Pos>({box.xMax - box.xMin, box.yMax - box.yMin, FT_Pos{1}}));
  const double wanted = filled * static_cast<double>(side) * 64;
  const auto scale = static_cast<FT_Fixed>(std::llround(wanted / larger * 65536));
  const FT_Matrix matrix{scale, 0, 0, scale};
  FT_Outline_Transform(&outline, &matrix);
  FT_Outline_Get_BBox(&outline, &box);
  const auto middle = static_cast<FT_Pos>(side * 32);
  FT_Outline_Translate(&outline, middle - (box.xMin + box.xMax) / 2,
                       middle - (box.yMin + box.yMax) / 2);
}

}  // namespace

Capitals capitals_of_font(const std::string& name, const std::string& bytes, int64_t side) {
  Font font;
  TORCH_INTERNAL_ASSERT(FT_Init_FreeType(&font.library) == 0, "FreeType does not start");
  const auto* data = reinterpret_cast<const FT_Byte*>(bytes.data());
  if (FT_New_Memory_Face(font.library, data, static_cast<FT_Long>(bytes.size()), 0, &font.face) !=
          0 ||
      !FT_IS_SCALABLE(font.face)) {
    plain::input_error("{}: no font with outlines", name);
  }
  Capitals capitals{
      .family = design_of(font.face->family_name == nullptr ? name : font.face->family_name),
      .pixels = at::zeros({letters, 1, side, side}, at::kByte)};
  for (int64_t letter = 0; letter < letters; ++letter) {
    const FT_UInt glyph = FT_Get_Char_Index(font.face, static_cast<FT_ULong>('A' + letter));
    const bool drawn = glyph != 0 && FT_Load_Glyph(font.face, glyph, FT_LOAD_NO_SCALE) == 0 &&
                       font.face->glyph->format == FT_GLYPH_FORMAT_OUTLINE &&
                       font.face->glyph->outline.n_points > 0;
    if (!drawn) return {.family = capitals.family, .pixels = {}};
    FT_Outline& outline = font.face->glyph->outline;
    fit(outline, side);
    FT_Bitmap picture{};
    picture.rows = picture.width = static_cast<unsigned>(side);
    picture.pitch = static_cast<int>(side);
    picture.num_grays = 256;
    picture.pixel_mode = FT_PIXEL_MODE_GRAY;
    picture.buffer = capitals.pixels[letter].data_ptr<uint8_t>();
    if (FT_Outline_Get_Bitmap(font.library, &outline, &picture) != 0) {
      plain::input_error("{}: the outline of {} is broken", name, static_cast<char>('A' + letter));
    }
  }
  return capitals;
}

}  // namespace relbias::modalities
