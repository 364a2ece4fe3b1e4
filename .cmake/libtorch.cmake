# SPDX-License-Identifier: Apache-2.0
# LibTorch as imported targets, by path: find_package(Torch) would drag in all of CUDA for a CPU build.
#
# LIBTORCH names the folder that holds include/ and lib/. relbias_check_libtorch() stops with one clear line where that
# folder cannot be used; it is a function of its own so that a test can call it on a faked one.

# Sets `version_out` to the version of the LibTorch in `directory`, after checking version and string ABI.
function(relbias_check_libtorch directory version_out)
  set(header "${directory}/include/torch/headeronly/version.h")
  if(NOT EXISTS "${header}" OR NOT EXISTS "${directory}/lib/libc10.so")
    message(FATAL_ERROR "no LibTorch in LIBTORCH=${directory} (expected include/torch/headeronly/version.h and "
                        "lib/libc10.so, version 2.11 or later); experiments/setup fetches one")
  endif()
  file(STRINGS "${header}" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  list(TRANSFORM lines REPLACE ".* ([0-9]+)$" "\\1")
  list(JOIN lines "." version)
  if(version VERSION_LESS 2.11 OR version VERSION_GREATER_EQUAL 2.16)
    message(FATAL_ERROR "LIBTORCH=${directory} is LibTorch ${version}; relbias works with 2.11 to 2.15")
  endif()
  # c10::Error(SourceLocation, std::string): "Ss" is how the string of before 2015 is mangled.
  file(STRINGS "${directory}/lib/libc10.so" old_abi LIMIT_COUNT 1 REGEX "_ZN3c105ErrorC1ENS_14SourceLocationESs")
  if(old_abi)
    message(FATAL_ERROR "LIBTORCH=${directory} was built with _GLIBCXX_USE_CXX11_ABI=0; relbias needs 1, the string "
                        "ABI of the system's OpenCV, HDF5 and libsndfile")
  endif()
  set(${version_out} "${version}" PARENT_SCOPE)
endfunction()

# Adds the shared library at `path` as `target`, carrying LibTorch's headers.
function(relbias_import_library target path)
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${path}" IMPORTED_NO_SONAME OFF)
endfunction()

# Defines `relbias::torch` from LIBTORCH; with `cuda` true its CUDA libraries are linked as well.
function(relbias_import_libtorch directory cuda)
  add_library(relbias_torch INTERFACE)
  add_library(relbias::torch ALIAS relbias_torch)
  # LibTorch's headers bring a copy of fmt that does not fit the system's: that one goes first.
  find_path(FMT_INCLUDE fmt/format.h REQUIRED)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/before-libtorch")
  file(CREATE_LINK "${FMT_INCLUDE}/fmt" "${PROJECT_BINARY_DIR}/before-libtorch/fmt" SYMBOLIC)
  target_include_directories(relbias_torch SYSTEM INTERFACE
    "${PROJECT_BINARY_DIR}/before-libtorch" "${directory}/include" "${directory}/include/torch/csrc/api/include")

  # The OpenMP runtime linked is LibTorch's own: a second one would start a second set of threads.
  file(GLOB openmp "${directory}/lib/libgomp*.so*")
  if(NOT openmp)
    message(FATAL_ERROR "LIBTORCH=${directory} has no lib/libgomp*.so*: which OpenMP runtime does it use?")
  endif()

  relbias_needed_by("${directory}/lib/libtorch_cpu.so" "${directory}" needed)
  foreach(path "${directory}/lib/libtorch_cpu.so" "${directory}/lib/libc10.so" ${openmp} ${needed})
    get_filename_component(name "${path}" NAME)
    relbias_import_library(relbias_${name} "${path}")
    target_link_libraries(relbias_torch INTERFACE relbias_${name})
  endforeach()

  if(cuda)
    foreach(name torch_cuda c10_cuda)
      if(NOT EXISTS "${directory}/lib/lib${name}.so")
        message(FATAL_ERROR "RELBIAS_CUDA needs ${directory}/lib/lib${name}.so; with nvcc on the PATH "
                            "experiments/setup unpacks it")
      endif()
    endforeach()
    # The operators register themselves, so nothing refers to these by symbol; and the cuDNN, NCCL, ... they need in turn
    # may be absent where one only builds.
    target_link_options(relbias_torch INTERFACE -Wl,--allow-shlib-undefined)
    target_link_libraries(relbias_torch INTERFACE
      -Wl,--push-state,--no-as-needed "${directory}/lib/libtorch_cuda.so" "${directory}/lib/libc10_cuda.so"
      -Wl,--pop-state)
  endif()
endfunction()

# Sets `paths_out` to the CUDA libraries that `library` itself asks for: even the CPU part of LibTorch's default wheel
# needs libcudart and libcupti.
function(relbias_needed_by library directory paths_out)
  execute_process(COMMAND "${CMAKE_READELF}" -d "${library}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "lib(cudart|cupti)[^]]*" names "${dynamic}")
  set(paths "")
  foreach(name IN LISTS names)
    find_library(path_of_${name} NAMES ${name} NO_CACHE HINTS
      "${directory}/lib" "${directory}/../nvidia/cu13/lib" /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64)
    if(NOT path_of_${name})
      message(FATAL_ERROR "${library} needs ${name}, which is neither in ${directory}/../nvidia/cu13/lib nor in a CUDA "
                          "toolkit; experiments/setup fetches it")
    endif()
    list(APPEND paths "${path_of_${name}}")
  endforeach()
  set(${paths_out} "${paths}" PARENT_SCOPE)
endfunction()
