package node

import _ "embed" // for trial

// trial is a script for Node that says "closed", or what its permission model
// lets through.
//
//go:embed trial.js
var trial string
