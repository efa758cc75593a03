#include "textflag.h"

// Sixteen times the same byte each: what bytes are compared with.
#define FILL(name, byte8) \
	DATA name<>+0(SB)/8, byte8 \
	DATA name<>+8(SB)/8, byte8 \
	GLOBL name<>(SB), RODATA|NOPTR, $16

FILL(newline, $0x0a0a0a0a0a0a0a0a)
FILL(hash, $0x2323232323232323)     // # $ % follow each other
FILL(two, $0x0202020202020202)
FILL(bracket, $0x5b5b5b5b5b5b5b5b)  // [ \ ] ^ follow each other
FILL(three, $0x0303030303030303)
FILL(tick, $0x6060606060606060)
FILL(less, $0x3c3c3c3c3c3c3c3c)

// CLASSIFY adds the bits of sixteen bytes to R8 (newlines) and R9 (marks). A
// byte lies in a range when, less the range's first byte, it is not above the
// range's width: the smaller of the two is then the difference itself.
#define CLASSIFY(offset) \
	MOVOU offset(SI), X0 \
	MOVO X0, X1 \
	PCMPEQB X8, X1 \
	PMOVMSKB X1, AX \
	SHLQ $offset, AX \
	ORQ AX, R8 \
	MOVO X0, X1 \
	PSUBB X9, X1 \
	MOVO X1, X2 \
	PMINUB X10, X2 \
	PCMPEQB X1, X2 \
	MOVO X0, X1 \
	PSUBB X11, X1 \
	MOVO X1, X3 \
	PMINUB X12, X3 \
	PCMPEQB X1, X3 \
	POR X3, X2 \
	MOVO X0, X1 \
	PCMPEQB X13, X1 \
	POR X1, X2 \
	PCMPEQB X14, X0 \
	POR X0, X2 \
	PMOVMSKB X2, AX \
	SHLQ $offset, AX \
	ORQ AX, R9

// func classifySSE2(src *byte, blocks int, ends, marks *uint64)
TEXT ·classifySSE2(SB), NOSPLIT, $0-32
	MOVQ src+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ ends+16(FP), DI
	MOVQ marks+24(FP), DX
	MOVOU newline<>(SB), X8
	MOVOU hash<>(SB), X9
	MOVOU two<>(SB), X10
	MOVOU bracket<>(SB), X11
	MOVOU three<>(SB), X12
	MOVOU tick<>(SB), X13
	MOVOU less<>(SB), X14
	TESTQ CX, CX
	JZ done

block:
	XORQ R8, R8
	XORQ R9, R9
	CLASSIFY(0)
	CLASSIFY(16)
	CLASSIFY(32)
	CLASSIFY(48)
	MOVQ R8, (DI)
	MOVQ R9, (DX)
	ADDQ $64, SI
	ADDQ $8, DI
	ADDQ $8, DX
	DECQ CX
	JNZ block

done:
	RET
