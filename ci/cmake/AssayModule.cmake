# assay_module(NAME FOLDER... [RECURSE] [REGISTERS] [COLD] [PUBLIC item...] [PRIVATE item...] [GENERATED file...])
#
# The library of these folders, assay_NAME, exported as assay::NAME. Items are modules, by their names, or other things
# to link: PUBLIC where headers include theirs, PRIVATE where sources alone do. A module sees its own headers,
# those of what it is linked to and the installed ones (include/), and no others: its include directory,
# build/include/NAME, holds nothing but links to its folders.
#
# RECURSE: sources of folders below as well. REGISTERS: its objects make themselves known when a program starts
# and nothing refers to them, so that all of them are linked. COLD: nothing in it runs often enough for its time to be
# seen; what it is made of, JSON above all, takes longest to compile.
function(assay_module name)
  cmake_parse_arguments(M "RECURSE;REGISTERS;COLD" "" "PUBLIC;PRIVATE;GENERATED" ${ARGN})
  set(glob GLOB)
  if(M_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  set(sources)
  set(root "${PROJECT_BINARY_DIR}/include/${name}")
  foreach(folder IN LISTS M_UNPARSED_ARGUMENTS)
    file(${glob} found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
    list(FILTER found EXCLUDE REGEX "/main\\.cpp$")
    list(APPEND sources ${found})
    get_filename_component(parent "${root}/${folder}" DIRECTORY)
    file(MAKE_DIRECTORY "${parent}")
    if(NOT EXISTS "${root}/${folder}")
      file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${root}/${folder}" SYMBOLIC)
    endif()
  endforeach()
  add_library(assay_${name} STATIC ${sources} ${M_GENERATED})
  if(M_GENERATED)
    add_custom_target(assay_${name}_generated DEPENDS ${M_GENERATED})
    set_property(GLOBAL APPEND PROPERTY assay_generated assay_${name}_generated)
  endif()
  add_library(assay::${name} ALIAS assay_${name})
  set_target_properties(assay_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(TARGET assay_${name} PROPERTY ASSAY_REGISTERS ${M_REGISTERS})
  set_target_properties(assay_${name} PROPERTIES UNITY_BUILD ${ASSAY_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(M_COLD)
    target_compile_options(assay_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(NOT ASSAY_UNITY)
      target_precompile_headers(assay_${name} PRIVATE <nlohmann/json.hpp> <fmt/format.h>)
    endif()
  endif()
  target_compile_features(assay_${name} PUBLIC cxx_std_20)
  target_compile_options(assay_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # GCC bug 105651
                                               $<$<BOOL:${ASSAY_WERROR}>:-Werror>)
  target_include_directories(assay_${name} PUBLIC
    "$<BUILD_INTERFACE:${root};${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  assay_link(assay_${name} PUBLIC ${M_PUBLIC} PRIVATE ${M_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY assay_modules assay_${name})
endfunction()

# target_link_libraries() with modules by their names, whole where they register what they hold.
function(assay_link target)
  cmake_parse_arguments(L "" "" "PUBLIC;PRIVATE;INTERFACE" ${ARGN})
  foreach(scope PUBLIC PRIVATE INTERFACE)
    foreach(item IN LISTS L_${scope})
      if(TARGET assay_${item})
        get_property(registers TARGET assay_${item} PROPERTY ASSAY_REGISTERS)
        if(registers)
          # By the name that it has in the installed package too: an export does not look into this.
          set(item "$<LINK_LIBRARY:WHOLE_ARCHIVE,assay::${item}>")
        else()
          set(item assay_${item})
        endif()
      elseif(item MATCHES "^(nlohmann_json::|CLI11::)")
        set(item "$<BUILD_INTERFACE:${item}>")  # headers alone, which no installed one includes
      endif()
      target_link_libraries(${target} ${scope} "${item}")
    endforeach()
  endforeach()
endfunction()
