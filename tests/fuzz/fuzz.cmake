# SPDX-License-Identifier: Apache-2.0
# The fuzz targets, one file each in tests/fuzz/targets/. relbias_tests reads their corpora once; relbias_fuzz, built when asked
# for and by clang alone, runs libFuzzer on any of them: tests/fuzz/run.
file(GLOB fuzz_targets CONFIGURE_DEPENDS tests/fuzz/targets/*.cpp)
set(fuzz_catalogue "${PROJECT_BINARY_DIR}/catalogue/fuzz_target_entries.cpp")
relbias_write_catalogue("${fuzz_catalogue}" fuzz_target FuzzTarget tests/fuzz/target.h ${fuzz_targets})
target_sources(relbias_tests PRIVATE "${fuzz_catalogue}")

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  return()
endif()
# What reads files is compiled once more, with coverage and sanitizers, and stands before the libraries that have it too.
file(GLOB_RECURSE fuzzed CONFIGURE_DEPENDS modalities/plain/*.cpp modalities/image/formats/*.cpp modalities/graph/reading/*.cpp
     experiments/attend/*.cpp experiments/config/*.cpp results/store/*.cpp)
file(GLOB datasets_fuzzed CONFIGURE_DEPENDS modalities/graph/datasets/[got]*.cpp modalities/graph/datasets/smiles_csv.cpp)
list(APPEND fuzzed ${datasets_fuzzed} modalities/image/datasets/cifar.cpp modalities/image/datasets/idx.cpp
     modalities/image/picture_file.cpp modalities/audio/frames/sound.cpp modalities/audio/frames/sound_header.cpp
     modalities/code/datasets/codexglue.cpp experiments/study/study.cpp experiments/study/expand.cpp
     experiments/study/selection.cpp results/claims/published.cpp results/claims/read_claims.cpp)
add_executable(relbias_fuzz EXCLUDE_FROM_ALL tests/fuzz/main.cpp tests/fuzz/target.cpp ${fuzz_targets} "${fuzz_catalogue}" ${fuzzed})
target_compile_options(relbias_fuzz PRIVATE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -g1)
target_link_options(relbias_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
target_precompile_headers(relbias_fuzz PRIVATE "<.cmake/precompiled.h>")
# tests/lint reads the compiler's commands of what is built anyway: each file once, with a precompiled header that is there.
set_target_properties(relbias_fuzz PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
target_include_directories(relbias_fuzz SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS} ${HDF5_C_INCLUDE_DIRS} "${SNDFILE_INCLUDE}"
                           "${SAMPLERATE_INCLUDE}" "${RDKIT_INCLUDE}")
target_link_libraries(relbias_fuzz PRIVATE relbias_experiments GTest::gtest tomlplusplus::tomlplusplus TIFF::TIFF opencv_core
                      opencv_imgproc opencv_imgcodecs ZLIB::ZLIB ${HDF5_C_LIBRARIES})
