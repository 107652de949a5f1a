# sluice_room(tune DEPENDS core ABOUT "chooses forgetting, factors and sparsity while the stream runs")
#
# A room is the folder it is called in: all its .cpp files, or SOURCES, compiled once as sluice_<name>. Its headers are
# found only by the rooms that name it in DEPENDS, so that a wrong include fails to build.
#
#   ABOUT       what the room is for
#   DEPENDS     rooms whose headers it includes
#   USES        libraries of others that its sources include, private to it
#   APART       not part of the library `sluice`: a static library of its own, which links `sluice` and the rooms it
#               DEPENDS on
#   TOGETHER    how many of its sources are compiled as one, which saves compiler time: few where a change should be
#               compiled quickly again
#   ALONE       sources that are compiled by themselves. Those named *_kernels.cpp are one source in any case: each would read
#               Highway once for every set of vector instructions, which takes longer than the kernels
#   KERNELS     *_kernels.cpp of rooms that come later, which are compiled with those of this room: that takes a third of the time
#   OPTIMIZE    in Release instead of -O3: -Og where nothing is called often, which takes a sixth to a quarter less time to compile than -O1.
#               It inlines small functions only: no std::vector<bool> in loops there. -O1 where Eigen computes
#   UNFUZZED    no fuzz target calls it: it is compiled without what shows the fuzzer the lines that it reaches
#   GROUP       in Release, rooms of the same group are compiled as one source, which takes a quarter less time: templates that all of
#               them use are compiled once. Other builds compile each room by itself, so that a wrong include is seen there
#   FROM        the folder from which its headers are included, where that is not its own
#   SOURCES     where not every .cpp file of the folder belongs to the room
#
# All rooms that are not APART are together the library `sluice`.
function(sluice_room name)
    cmake_parse_arguments(ROOM "APART;UNFUZZED" "ABOUT;FROM;GROUP;OPTIMIZE;TOGETHER" "DEPENDS;USES;SOURCES;ALONE;KERNELS" ${ARGN})
    if(NOT ROOM_ABOUT)
        message(FATAL_ERROR "sluice_room(${name}): say what the room is for with ABOUT")
    endif()
    if(ROOM_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "sluice_room(${name}): unknown ${ROOM_UNPARSED_ARGUMENTS}")
    endif()
    set(room sluice_${name})
    if(NOT ROOM_FROM)
        set(ROOM_FROM ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    if(NOT ROOM_SOURCES)
        file(GLOB ROOM_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    endif()
    if(ROOM_GROUP AND SLUICE_FAST_COMPILE AND CMAKE_BUILD_TYPE STREQUAL "Release")
        sluice_add_to_group(${room} sluice_${ROOM_GROUP})
        return()
    endif()
    if(SLUICE_FAST_COMPILE)
        get_property(joined GLOBAL PROPERTY SLUICE_JOINED_KERNELS)
        list(REMOVE_ITEM ROOM_SOURCES ${joined})
        set_property(GLOBAL APPEND PROPERTY SLUICE_JOINED_KERNELS ${ROOM_KERNELS})
        list(APPEND ROOM_SOURCES ${ROOM_KERNELS})
        sluice_join_kernels(${room} ROOM_SOURCES)
    endif()
    if(ROOM_APART)
        add_library(${room} STATIC ${ROOM_SOURCES})
        target_link_libraries(${room} PUBLIC sluice)
    else()
        add_library(${room} OBJECT ${ROOM_SOURCES})
        set_property(GLOBAL APPEND PROPERTY SLUICE_ROOMS ${room})
    endif()
    target_include_directories(${room} PUBLIC ${PROJECT_SOURCE_DIR}/include ${ROOM_FROM})
    target_link_libraries(${room} PRIVATE sluice_compile ${ROOM_USES})
    get_property(library_rooms GLOBAL PROPERTY SLUICE_ROOMS)
    foreach(other IN LISTS ROOM_DEPENDS)
        if(NOT sluice_${other} IN_LIST library_rooms)
            target_link_libraries(${room} PUBLIC sluice_${other})
        elseif(ROOM_APART)  # the private headers of a room of the library stay private
            target_include_directories(${room} PRIVATE ${PROJECT_SOURCE_DIR}/src/${other})
        else()
            target_include_directories(${room} PUBLIC $<TARGET_PROPERTY:sluice_${other},INTERFACE_INCLUDE_DIRECTORIES>)
        endif()
    endforeach()
    if(SLUICE_FUZZ AND NOT ROOM_UNFUZZED)  # the fuzzer sees which lines it reaches
        target_compile_options(${room} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(ROOM_TOGETHER)
        sluice_compile_together(${room} ${ROOM_TOGETHER})
        set_source_files_properties(${ROOM_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    if(NOT ROOM_OPTIMIZE)
        sluice_use_precompiled_headers(${room})
    endif()
    if(ROOM_OPTIMIZE)
        sluice_optimize(${room} ${ROOM_OPTIMIZE})
    endif()
endfunction()

# Several *_kernels.cpp in the list of sources become one source, which includes them. Highway's foreach_target.h includes a source again
# for each set of vector instructions, by the name in HWY_TARGET_INCLUDE: the joined source takes the place of those that it includes.
# The room's simd_inl.hpp, which all of them include, includes foreach_target.h.
function(sluice_join_kernels room list)
    set(kernels ${${list}})
    list(FILTER kernels INCLUDE REGEX "_kernels\\.cpp$")
    list(LENGTH kernels count)
    if(count LESS 2)
        set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        return()
    endif()
    set(joined ${CMAKE_CURRENT_BINARY_DIR}/${room}_kernels.cpp)
    set(own_name "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${joined}\"\n")
    list(TRANSFORM kernels REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" includes)
    file(CONFIGURE OUTPUT ${joined} @ONLY CONTENT
"// Made by cmake/SluiceRoom.cmake.
${own_name}#include \"simd_inl.hpp\"
${includes}${own_name}")
    set_source_files_properties(${joined} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set(others ${${list}})
    list(REMOVE_ITEM others ${kernels})
    set(${list} ${others} ${joined} PARENT_SCOPE)
endfunction()

# Called by sluice_room, whose arguments it reads: the room becomes a name for the group's library, with its headers.
function(sluice_add_to_group room group)
    if(NOT TARGET ${group})
        add_library(${group} STATIC)
        target_link_libraries(${group} PUBLIC sluice PRIVATE sluice_compile)
        target_include_directories(${group} PRIVATE ${PROJECT_SOURCE_DIR}/include)
        sluice_compile_together(${group} 1000)
        sluice_optimize(${group} ${ROOM_OPTIMIZE})
    endif()
    target_sources(${group} PRIVATE ${ROOM_SOURCES})
    target_include_directories(${group} PRIVATE ${ROOM_FROM})
    target_link_libraries(${group} PRIVATE ${ROOM_USES})
    add_library(${room} INTERFACE)
    target_link_libraries(${room} INTERFACE ${group})
    target_include_directories(${room} INTERFACE ${PROJECT_SOURCE_DIR}/include ${ROOM_FROM})
    set_property(TARGET ${group} APPEND PROPERTY SLUICE_MEMBERS ${room})
    get_property(members TARGET ${group} PROPERTY SLUICE_MEMBERS)
    get_property(library_rooms GLOBAL PROPERTY SLUICE_ROOMS)
    foreach(other IN LISTS ROOM_DEPENDS)
        if(sluice_${other} IN_LIST library_rooms)
            target_include_directories(${group} PRIVATE ${PROJECT_SOURCE_DIR}/src/${other})
        else()
            target_link_libraries(${room} INTERFACE sluice_${other})
            if(NOT sluice_${other} IN_LIST members)
                target_link_libraries(${group} PUBLIC sluice_${other})
            endif()
        endif()
    endforeach()
endfunction()

function(sluice_compile_together target count)
    if(SLUICE_FAST_COMPILE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
    endif()
endfunction()

function(sluice_optimize target level)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        target_compile_options(${target} PRIVATE ${level})
    endif()
endfunction()

# The standard headers that most sources include are parsed once, in a target without any macro of other libraries, so
# that every room can use the result.
if(SLUICE_FAST_COMPILE)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")  # not written again by each configure
    add_library(sluice_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(sluice_precompiled PRIVATE sluice_compile)
    target_precompile_headers(sluice_precompiled PRIVATE
        <algorithm> <array> <cmath> <cstddef> <functional> <limits> <memory> <numeric> <optional> <ranges> <span>
        <stdexcept> <string> <string_view> <utility> <vector>)
    if(SLUICE_FUZZ)
        target_compile_options(sluice_precompiled PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endif()

function(sluice_use_precompiled_headers target)
    if(SLUICE_FAST_COMPILE)
        target_precompile_headers(${target} REUSE_FROM sluice_precompiled)
    endif()
endfunction()
