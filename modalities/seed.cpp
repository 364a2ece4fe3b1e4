// SPDX-License-Identifier: Apache-2.0
// modalities: the hash behind the independent random streams.
#include "modalities/seed.h"

#include <ATen/CPUGeneratorImpl.h>

namespace relbias::modalities {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection whose every output bit depends
// on every input bit.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t stream_seed(uint64_t run_seed, std::string_view name, uint64_t index) {
  uint64_t hash = mix(run_seed);
  for (const char c : name) hash = mix(hash ^ static_cast<unsigned char>(c));
  // The length keeps ("a", index) apart from a name that ends in the bytes of the index.
  hash = mix(hash ^ name.size());
  return mix(hash ^ index);
}

at::Generator stream(uint64_t run_seed, std::string_view name, uint64_t index) {
  return at::make_generator<at::CPUGeneratorImpl>(stream_seed(run_seed, name, index));
}

}  // namespace relbias::modalities
