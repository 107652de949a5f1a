# How every target of ours is compiled. Nothing of this reaches those who embed Sluice.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# One target, sluice_compile, that each of ours links privately.
add_library(sluice_compile INTERFACE)

# g++ collects garbage when its heap has doubled. Up to 1.5 GB it need not: it takes a sixth less time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(--param=ggc-min-heapsize=1500000)
endif()

# Fused multiply-add would round differently from one compiler to the next.
target_compile_options(sluice_compile INTERFACE -ffp-contract=off)

if(SLUICE_DEVELOPER)
    target_compile_options(sluice_compile INTERFACE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
        -Wcast-align -Woverloaded-virtual -Wdouble-promotion -Wimplicit-fallthrough -Werror)
endif()

if(SLUICE_SANITIZE)
    add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SLUICE_SANITIZE})
    add_compile_definitions(SLUICE_SANITIZED)
    if(SLUICE_NOT_SANITIZED)
        add_compile_options(-fno-sanitize=${SLUICE_NOT_SANITIZED})
    endif()
endif()
