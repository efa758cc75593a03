package picture

import (
	"bytes"

	"golang.org/x/image/bmp"

	"obsidian-mcp/internal/fault"
)

func inspectBMP(data []byte) (*source, error) {
	config, err := bmp.DecodeConfig(bytes.NewReader(data))
	if err == bmp.ErrUnsupported {
		return nil, fault.InvalidArgument.Errorf("this variant of the BMP format is not supported; save the picture as PNG")
	}
	if err != nil {
		return nil, damaged(formatBMP, err)
	}
	s := &source{format: formatBMP, width: config.Width, height: config.Height, isLossless: true, still: data}
	s.memory = int64(config.Width) * int64(config.Height) * bytesPerPixel(config.ColorModel)
	return s, nil
}
