// Ollama: its package model/parsers.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/model/parsers"
	"golang.org/x/sys/unix"
)

type response struct {
	Family string    `json:"family"`
	Chunks []string  `json:"chunks"`
	Tools  api.Tools `json:"tools"`
}

type call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type outcome struct {
	Us    float64 `json:"us,omitempty"`
	Text  string  `json:"text"`
	Calls []call  `json:"calls"`
	Error string  `json:"error,omitempty"`
	Skip  bool    `json:"skip,omitempty"`
}

var names = map[string]string{"hermes": "qwen3", "qwen3_coder": "qwen3-coder", "glm47": "glm-4.7", "deepseek_v31": "deepseek3"}

// Microseconds of processor time so far: a loaded machine does not change it.
func processorTime() float64 {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return float64(t.Sec)*1e6 + float64(t.Nsec)/1e3
}

func one(r *response) (outcome, []api.ToolCall) {
	name, known := names[r.Family]
	parser := parsers.ParserForName(name)
	if !known || parser == nil {
		return outcome{Skip: true}, nil
	}
	var out outcome
	var calls []api.ToolCall
	parser.Init(r.Tools, nil, &api.ThinkValue{Value: false})
	for i, chunk := range r.Chunks {
		content, _, some, err := parser.Add(chunk, i == len(r.Chunks)-1)
		if err != nil {
			return outcome{Error: err.Error()}, nil
		}
		out.Text += content
		calls = append(calls, some...)
	}
	return out, calls
}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r response
		if err := json.Unmarshal(line, &r); err != nil {
			panic(err)
		}
		var out outcome
		var calls []api.ToolCall
		best := 1e12
		for begin := time.Now(); ; {
			start := processorTime()
			out, calls = one(&r)
			best = min(best, processorTime()-start)
			if out.Skip || out.Error != "" || time.Since(begin) > 200*time.Millisecond {
				break
			}
		}
		out.Us = best
		for _, c := range calls {
			arguments, _ := json.Marshal(c.Function.Arguments)
			out.Calls = append(out.Calls, call{c.Function.Name, string(arguments)})
		}
		line, _ = json.Marshal(out)
		os.Stdout.Write(append(line, '\n'))
	}
}
