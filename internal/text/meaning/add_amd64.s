#include "textflag.h"

#define FILL(name, byte8) \
	DATA name<>+0(SB)/8, byte8 \
	DATA name<>+8(SB)/8, byte8 \
	GLOBL name<>(SB), RODATA|NOPTR, $16

FILL(half, $0x0f0f0f0f0f0f0f0f)
FILL(eight, $0x0808080808080808)

// ADD8 multiplies the first eight bytes of X with the scale and adds them to the vector.
#define ADD8(X, Y, offset) \
	VPMOVSXBD X, Y \
	VCVTDQ2PS Y, Y \
	VMULPS Y, Y15, Y \
	VADDPS offset(DI), Y, Y \
	VMOVUPS Y, offset(DI)

// func addAVX2(row *byte, scale float32, into *float32)
TEXT ·addAVX2(SB), NOSPLIT, $0-24
	MOVQ row+0(FP), SI
	VBROADCASTSS scale+8(FP), Y15
	MOVQ into+16(FP), DI
	VMOVDQU half<>(SB), X13
	VMOVDQU eight<>(SB), X14
	MOVQ $8, CX

next:
	VMOVDQU (SI), X0
	VPAND X0, X13, X1     // even dimensions
	VPSRLW $4, X0, X2
	VPAND X2, X13, X2     // odd ones
	VPUNPCKLBW X2, X1, X3
	VPUNPCKHBW X2, X1, X4
	VPXOR X3, X14, X3     // extends the sign of four bits to eight
	VPSUBB X14, X3, X3
	VPXOR X4, X14, X4
	VPSUBB X14, X4, X4
	VPSRLDQ $8, X3, X5
	VPSRLDQ $8, X4, X6
	ADD8(X3, Y7, 0)
	ADD8(X5, Y8, 32)
	ADD8(X4, Y9, 64)
	ADD8(X6, Y10, 96)
	ADDQ $16, SI
	ADDQ $128, DI
	DECQ CX
	JNZ next
	VZEROUPPER
	RET
