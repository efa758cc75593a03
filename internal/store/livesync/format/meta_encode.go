package format

import "maps"

// encodeMeta makes the document of a file. It keeps unknown fields.
func (c *Codec) encodeMeta(file *Meta) ([]byte, error) {
	children := file.Children
	if children == nil {
		children = []string{}
	}
	body := fields{}
	maps.Copy(body, file.unknown)
	for key, value := range map[string]any{
		"_id": file.ID, "path": file.Path, "type": file.docType, "children": children, "eden": struct{}{},
		"ctime": file.CTime, "mtime": file.MTime, "size": file.Size,
	} {
		if err := body.set(key, value); err != nil {
			return nil, err
		}
	}
	if file.Rev != "" {
		if err := body.set("_rev", file.Rev); err != nil {
			return nil, err
		}
	}
	if file.Deleted {
		if err := body.set("deleted", true); err != nil {
			return nil, err
		}
	}
	if err := c.hideMeta(file, body); err != nil {
		return nil, err
	}
	return marshal(body)
}
