// SPDX-License-Identifier: Apache-2.0
// tests: heaps of texts that HDF5 would walk without an end.
#include "results/store/hdf5/heaps.h"

#include <gtest/gtest.h>

#include <string>

#include "results/record.h"

namespace relbias::results::hdf5 {
namespace {

std::string number(uint64_t value, int bytes) {
  std::string text;
  for (int n = 0; n < bytes; ++n) text += static_cast<char>(value >> (8 * n));
  return text;
}

std::string object(uint64_t index, uint64_t size, const std::string& content) {
  return number(index, 2) + number(1, 2) + number(0, 4) + number(size, 8) + content;
}

// A file of one heap of 80 bytes: a text of 5 bytes, and free room that claims `room` bytes.
std::string said_of(uint64_t text, uint64_t room) {
  std::string file = "\x89HDF\r\n\x1a\n" + std::string(6, '\0') + "\x08" + std::string(9, '\0');
  file += "GCOL" + number(1, 4) + number(80, 8) + object(1, text, "alibi" + std::string(3, '\0')) +
          object(0, room, std::string(24, '\0'));
  try {
    check_heaps({file.begin(), file.end()});
  } catch (const StoreError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Heaps, OfADamagedFileAreRefused) {
  EXPECT_EQ(said_of(5, 40), "no error");
  EXPECT_EQ(said_of(5, 32), "no error");  // what is left is too small for an object
  for (const uint64_t room : {uint64_t{0}, uint64_t{15}, uint64_t{41}, ~uint64_t{0}}) {
    EXPECT_EQ(said_of(5, room), "damaged HDF5 file: the heap at byte 24 has no end") << room;
  }
  for (const uint64_t text : {uint64_t{49}, ~uint64_t{0}}) {
    EXPECT_EQ(said_of(text, 40), "damaged HDF5 file: the heap at byte 24 has no end") << text;
  }
}

// The attribute `encoding` of a case that h5py wrote, its length changed to 4,294,967,044.
TEST(Heaps, ATextThatIsLongerThanTheFileIsRefused) {
  const auto said = [](uint64_t length, bool padded) {
    std::string file = "encoding" + number(0x10119, 4) + number(16, 4) + number(16, 4) +
                       number(1, 4) + number(0x80000, 4);
    if (padded) file += number(0, 4) + number(1, 8);
    if (!padded) file += number(2, 4);
    file += number(length, 4) + number(2048, 8) + number(1, 4);
    try {
      check_heaps({file.begin(), file.end()});
    } catch (const StoreError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (const bool padded : {true, false}) {
    EXPECT_EQ(said(5, padded), "no error");
    EXPECT_EQ(said(4294967044, padded),
              "damaged HDF5 file: an attribute of 4294967044 bytes found, more than the file has");
  }
}

}  // namespace
}  // namespace relbias::results::hdf5
