# SPDX-License-Identifier: Apache-2.0
# tree-sitter and its grammars, from the sources that experiments/setup unpacked: core-VERSION and one folder a language.

# Adds the library relbias_tree_sitter with every grammar found in `folder`.
function(relbias_build_tree_sitter folder)
  file(GLOB core "${folder}/core-*")
  file(GLOB parsers "${folder}/*/parser.c")
  if(NOT core OR NOT EXISTS "${folder}/python/tree_sitter/parser.h")
    message(FATAL_ERROR "no tree-sitter in ${folder}; experiments/setup fetches it")
  endif()
  list(SORT core COMPARE NATURAL)
  list(GET core -1 core)
  add_library(relbias_tree_sitter STATIC "${core}/src/lib.c")
  target_include_directories(relbias_tree_sitter SYSTEM PUBLIC "${core}/include" PRIVATE "${core}/src")
  target_compile_options(relbias_tree_sitter PRIVATE -std=gnu11 -w)

  foreach(parser IN LISTS parsers)
    cmake_path(GET parser PARENT_PATH place)
    cmake_path(GET place FILENAME language)
    set(sources "${parser}")
    if(EXISTS "${place}/scanner.c")
      list(APPEND sources "${place}/scanner.c")
    endif()
    add_library(relbias_grammar_${language} OBJECT ${sources})
    # The tables of a parser gain nothing from optimisation and take a minute of it.
    target_compile_options(relbias_grammar_${language} PRIVATE -std=gnu11 -w -O1)
    # A grammar without headers takes those of Python; they were renamed since it was generated.
    target_include_directories(relbias_grammar_${language} PRIVATE "${place}" "${folder}/python")
    if(NOT EXISTS "${place}/tree_sitter/parser.h")
      target_compile_options(relbias_grammar_${language} PRIVATE
        -DTSFieldMapSlice=TSMapSlice -Dversion=abi_version -Wno-incompatible-pointer-types)
    endif()
    target_sources(relbias_tree_sitter PRIVATE $<TARGET_OBJECTS:relbias_grammar_${language}>)
  endforeach()
endfunction()
