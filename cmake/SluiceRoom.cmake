# sluice_room(tune DEPENDS core ABOUT "chooses forgetting, factors and sparsity while the stream runs")
#
# A room is the folder it is called in: all its .cpp files, compiled once as an object library, sluice_<name>.
# Its headers are found only by the rooms that name it in DEPENDS, so that a wrong include fails to build.
# All rooms together are the library `sluice`.
function(sluice_room name)
    cmake_parse_arguments(ROOM "" "ABOUT" "DEPENDS;USES" ${ARGN})
    if(NOT ROOM_ABOUT)
        message(FATAL_ERROR "sluice_room(${name}): say what the room is for with ABOUT")
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    add_library(sluice_${name} OBJECT ${sources})
    target_include_directories(sluice_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(sluice_${name} PRIVATE sluice_compile ${ROOM_USES})
    foreach(other IN LISTS ROOM_DEPENDS)
        target_include_directories(sluice_${name} PUBLIC $<TARGET_PROPERTY:sluice_${other},INTERFACE_INCLUDE_DIRECTORIES>)
    endforeach()
    set_property(GLOBAL APPEND PROPERTY SLUICE_ROOMS sluice_${name})
endfunction()
