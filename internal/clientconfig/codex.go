package clientconfig

type codex struct{}

func (codex) read(f File, text []byte) ([]Server, error) { return nil, nil }
func (codex) connect(f File, text []byte, e Entry, takeOver []string) ([]byte, Undo, error) {
	return text, Undo{}, nil
}
func (codex) disconnect(f File, text []byte, u Undo) ([]byte, error) { return text, nil }
