package gateway

// builtIns makes the sources of toolcrib's own tools.
func (g *Gateway) builtIns(o Options) ([]source, error) {
	if !o.BuiltIn {
		return nil, nil
	}
	makers := []func(*Gateway, Options) (source, error){(*Gateway).filesSource, (*Gateway).execSource, (*Gateway).webSource, (*Gateway).sessionsSource}
	all := make([]source, 0, len(makers))
	for _, start := range makers {
		s, err := start(g, o)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
