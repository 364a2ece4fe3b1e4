# SPDX-License-Identifier: Apache-2.0
# The tests: one GoogleTest program from tests/**/*.cpp, run in parts side by side.
find_package(GTest REQUIRED)

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/*.cpp)
list(FILTER test_sources EXCLUDE REGEX "/tests/(benchmarks|build/additions)/")
if(RELBIAS_TESTS)  # these alone: tests/sanitize has no time for all
  set(test_sources ${RELBIAS_TESTS})
endif()
list(FILTER test_sources EXCLUDE REGEX "/tests/fuzz/main.cpp$")
# In a file of its own, so that the path is in no other object and ccache finds what another checkout compiled.
configure_file("${PROJECT_SOURCE_DIR}/tests/source_folder.cpp.in" "${PROJECT_BINARY_DIR}/source_folder.cpp" @ONLY)
set_source_files_properties("${PROJECT_BINARY_DIR}/source_folder.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
add_executable(relbias_tests ${test_sources} "${PROJECT_BINARY_DIR}/source_folder.cpp")
target_link_libraries(relbias_tests PRIVATE relbias_experiments GTest::gmock_main opencv_core opencv_imgcodecs ZLIB::ZLIB TIFF::TIFF
                      ${SNDFILE_LIBRARY} ${HDF5_C_LIBRARIES})
target_include_directories(relbias_tests SYSTEM PRIVATE ${HDF5_C_INCLUDE_DIRS} ${SNDFILE_INCLUDE} ${OpenCV_INCLUDE_DIRS})
target_precompile_headers(relbias_tests REUSE_FROM relbias_precompiled)
add_dependencies(relbias_tests relbias)  # some run it; it stands beside them

# Results know nothing of LibTorch, so their tests are spared its precompiled header.
file(GLOB_RECURSE results_tests CONFIGURE_DEPENDS tests/results/*.cpp)
set_source_files_properties(${results_tests} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# Benchmarks are built when asked for: benchmark_NAME from tests/benchmarks/NAME.cpp.
find_package(benchmark REQUIRED)
file(GLOB benchmarks CONFIGURE_DEPENDS tests/benchmarks/*.cpp)
foreach(source IN LISTS benchmarks)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(benchmark_${name} EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(benchmark_${name} PRIVATE relbias_experiments benchmark::benchmark opencv_core opencv_imgcodecs)
  target_include_directories(benchmark_${name} SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
  target_precompile_headers(benchmark_${name} REUSE_FROM relbias_precompiled)
endforeach()

# A process takes half a second to load LibTorch, so the cases share a few processes instead of having one each. They run
# side by side, so each gets one thread; a test of threading sets its own number.
set(parts 8)
foreach(part RANGE 1 ${parts})
  math(EXPR index "${part} - 1")
  add_test(NAME cases.${part} COMMAND relbias_tests --gtest_brief=1)
  set_tests_properties(cases.${part} PROPERTIES TIMEOUT 1800
    ENVIRONMENT "OMP_NUM_THREADS=1;GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
endforeach()

# The build itself.
add_test(NAME build.setup COMMAND "${PROJECT_SOURCE_DIR}/tests/build/setup_test.sh")
add_test(NAME build.cmake COMMAND "${CMAKE_COMMAND}" -P "${PROJECT_SOURCE_DIR}/tests/build/cmake_test.cmake")

add_test(NAME build.one_file COMMAND "${PROJECT_SOURCE_DIR}/tests/build/one_file_test.sh")
set_tests_properties(build.one_file PROPERTIES TIMEOUT 1800)

add_test(NAME build.install COMMAND "${PROJECT_SOURCE_DIR}/tests/build/install_test.sh" "${PROJECT_BINARY_DIR}")

# Kills, a full disk, a folder removed, a clock set back: a few of what tests/faults/run does by hand.
add_test(NAME faults COMMAND "${PROJECT_SOURCE_DIR}/tests/faults/run" --kills 4 --program "$<TARGET_FILE:relbias>")
set_tests_properties(faults PROPERTIES TIMEOUT 1800)

# Other versions lay out differently; experiments/setup installs this one.
find_program(CLANG_FORMAT clang-format-14)
if(CLANG_FORMAT)
  add_test(NAME build.format WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COMMAND bash -c
    "find modalities encodings experiments results tests -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \
     | xargs '${CLANG_FORMAT}' --dry-run -Werror")
endif()

include(tests/fuzz/fuzz.cmake)
