package modelmock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

var geminiDialect = dialect{read: readGemini, whole: wholeGemini, stream: streamGemini}

// gemini answers what stands below /v1beta/models: the model and the action are
// in the path.
func (s *Server) gemini(w http.ResponseWriter, r *http.Request) {
	model, action, _ := strings.Cut(r.PathValue("action"), ":")
	switch action {
	case "generateContent", "streamGenerateContent":
		s.answer(w, r, geminiDialect, func(p *Prompt) {
			p.Model, p.Stream = model, action == "streamGenerateContent"
		})
	case "countTokens":
		s.plain(func(body []byte) any { return object{"totalTokens": len(body)/4 + 1} })(w, r)
	default:
		s.plain(func([]byte) any { return object{} })(w, r)
	}
}

// geminiRequest is what is read of a request to generateContent.
type geminiRequest struct {
	SystemInstruction content `json:"systemInstruction"`
	Contents          []struct {
		Role  string
		Parts []struct {
			Text             string
			FunctionResponse *struct {
				ID, Name string
				Response content
			} `json:"functionResponse"`
		}
	}
	Tools []struct {
		FunctionDeclarations []struct {
			Name, Description    string
			Parameters           json.RawMessage
			ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	}
}

func readGemini(body []byte) (Prompt, error) {
	var r geminiRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Prompt{}, fmt.Errorf("generateContent: %w", err)
	}
	p := Prompt{Protocol: Gemini, System: string(r.SystemInstruction)}
	for _, t := range r.Tools {
		for _, f := range t.FunctionDeclarations {
			schema := f.ParametersJSONSchema
			if schema == nil {
				schema = f.Parameters
			}
			p.Tools = append(p.Tools, Tool{Name: f.Name, Description: f.Description, Schema: schema})
		}
	}
	for _, c := range r.Contents {
		for _, part := range c.Parts {
			switch {
			case part.FunctionResponse != nil:
				p.Results = append(p.Results, Result{ID: part.FunctionResponse.ID, Text: string(part.FunctionResponse.Response)})
			case part.Text != "" && c.Role == "user":
				p.User = append(p.User, part.Text)
			}
		}
	}
	return p, nil
}

func geminiChunk(p Prompt, parts []object, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	chunk := object{"candidates": []object{candidate}, "modelVersion": p.Model, "responseId": "resp_1"}
	if last {
		candidate["finishReason"] = "STOP"
		chunk["usageMetadata"] = object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
	}
	return chunk
}

func geminiParts(texts []string, turn Turn) []object {
	parts := []object{}
	for _, text := range texts {
		if text != "" {
			parts = append(parts, object{"text": text})
		}
	}
	for _, c := range turn.Calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.offer.Name, "args": c.Args}})
	}
	return parts
}

func wholeGemini(p Prompt, turn Turn) any {
	return geminiChunk(p, geminiParts([]string{turn.Text}, turn), true)
}

func streamGemini(e *events, p Prompt, turn Turn) {
	parts := geminiParts(pieces(turn.Text), turn)
	for i, part := range parts {
		e.data(geminiChunk(p, []object{part}, i == len(parts)-1))
	}
}
