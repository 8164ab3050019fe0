/* setjmp for WebAssembly, which this wasi-libc lacks. clang -mllvm -wasm-enable-sjlj turns calls of
 * setjmp and longjmp into exceptions and calls of the functions in sjlj.c. */
#ifndef SLUICE_WASM_SETJMP_H
#define SLUICE_WASM_SETJMP_H

typedef struct sluice_jump {
    void *invocation; /* the running function that called setjmp */
    unsigned label;   /* which of its calls */
    struct {          /* the exception of a longjmp */
        void *env;
        int value;
    } thrown;
} jmp_buf[1];

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);
#define setjmp(env) setjmp(env)

#endif
