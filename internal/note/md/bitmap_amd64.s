#include "textflag.h"

// Sixteen copies of each byte that input is compared with.
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

// AVX2 finds marks by the two halves of a byte: a table gives, for each half, the sets of marks that contain it. A byte
// is a mark if both halves have a set in common. The sets are # $ % (1), < (2), [ \ ] ^ (4) and ` (8).
#define TWICE(name, low8, high8) \
	DATA name<>+0(SB)/8, low8 \
	DATA name<>+8(SB)/8, high8 \
	DATA name<>+16(SB)/8, low8 \
	DATA name<>+24(SB)/8, high8 \
	GLOBL name<>(SB), RODATA|NOPTR, $32

TWICE(lowHalf, $0x0000010101000008, $0x0004040604000000)
TWICE(highHalf, $0x0008040002010000, $0x0000000000000000)
TWICE(halfMask, $0x0f0f0f0f0f0f0f0f, $0x0f0f0f0f0f0f0f0f)
TWICE(newline32, $0x0a0a0a0a0a0a0a0a, $0x0a0a0a0a0a0a0a0a)

// CLASSIFY32 sets AX to the bits of the newlines among 32 bytes, and BX to the bits of the bytes that are not marks.
#define CLASSIFY32(offset) \
	VMOVDQU offset(SI), Y0 \
	VPCMPEQB Y0, Y8, Y1 \
	VPMOVMSKB Y1, AX \
	VPSHUFB Y0, Y9, Y2 \
	VPSRLW $4, Y0, Y3 \
	VPAND Y3, Y11, Y3 \
	VPSHUFB Y3, Y10, Y3 \
	VPAND Y2, Y3, Y2 \
	VPCMPEQB Y2, Y12, Y2 \
	VPMOVMSKB Y2, BX

// func classifyAVX2(src *byte, blocks int, ends, marks *uint64)
TEXT ·classifyAVX2(SB), NOSPLIT, $0-32
	MOVQ src+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ ends+16(FP), DI
	MOVQ marks+24(FP), DX
	VMOVDQU newline32<>(SB), Y8
	VMOVDQU lowHalf<>(SB), Y9
	VMOVDQU highHalf<>(SB), Y10
	VMOVDQU halfMask<>(SB), Y11
	VPXOR Y12, Y12, Y12
	TESTQ CX, CX
	JZ done32

block32:
	CLASSIFY32(32)
	MOVQ AX, R8
	MOVQ BX, R9
	SHLQ $32, R8
	SHLQ $32, R9
	CLASSIFY32(0)
	ORQ AX, R8
	ORQ BX, R9
	NOTQ R9
	MOVQ R8, (DI)
	MOVQ R9, (DX)
	ADDQ $64, SI
	ADDQ $8, DI
	ADDQ $8, DX
	DECQ CX
	JNZ block32

done32:
	VZEROUPPER
	RET

// CLASSIFY adds the bits of sixteen bytes to R8 (newlines) and R9 (marks). A byte is in a range if its difference to the
// range's first byte is at most the range's width, that is, if the minimum of the two is the difference itself.
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
