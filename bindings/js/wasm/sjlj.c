/* The functions that LLVM's lowering of setjmp and longjmp calls
 * (llvm/lib/Target/WebAssembly/WebAssemblyLowerEmscriptenEHSjLj.cpp). A longjmp is an exception
 * with the tag __c_longjmp, which the compiler catches in each function that calls setjmp. */
#include "setjmp.h"

enum { C_LONGJMP = 1 }; /* the index of that tag for __builtin_wasm_throw */

/* Records a call of setjmp(env). */
void __wasm_setjmp(struct sluice_jump *env, unsigned label, void *invocation) {
    env->invocation = invocation;
    env->label = label;
}

/* Handles a longjmp to `env` in this invocation: returns the label to continue at, or 0 if it is
 * for another function. */
unsigned __wasm_setjmp_test(struct sluice_jump *env, void *invocation) {
    return env->invocation == invocation ? env->label : 0;
}

/* longjmp(env, value) */
void __wasm_longjmp(struct sluice_jump *env, int value) {
    env->thrown.env = env;
    env->thrown.value = value ? value : 1;
    __builtin_wasm_throw(C_LONGJMP, &env->thrown);
}
