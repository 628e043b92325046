#pragma once
#define SHARED_VALUE 40
