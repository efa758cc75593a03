#include "textflag.h"

// func distancesPOPCNT(signs *byte, count int, question *[4]uint64, out *uint8)
TEXT ·distancesPOPCNT(SB), NOSPLIT, $0-32
	MOVQ signs+0(FP), SI
	MOVQ count+8(FP), CX
	MOVQ question+16(FP), DX
	MOVQ out+24(FP), DI
	MOVQ 0(DX), R8
	MOVQ 8(DX), R9
	MOVQ 16(DX), R10
	MOVQ 24(DX), R11
	MOVQ $255, R12
	TESTQ CX, CX
	JZ done

next:
	MOVQ 0(SI), AX
	MOVQ 8(SI), BX
	MOVQ 16(SI), DX
	MOVQ 24(SI), R13
	XORQ R8, AX
	XORQ R9, BX
	XORQ R10, DX
	XORQ R11, R13
	POPCNTQ AX, AX
	POPCNTQ BX, BX
	POPCNTQ DX, DX
	POPCNTQ R13, R13
	ADDQ BX, AX
	ADDQ R13, DX
	ADDQ DX, AX
	CMPQ AX, R12
	CMOVQGT R12, AX
	MOVB AX, (DI)
	ADDQ $32, SI
	INCQ DI
	DECQ CX
	JNZ next

done:
	RET
