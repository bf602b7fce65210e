package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	client := http.Client{Timeout: 10 * time.Second}
	for _, path := range os.Args[2:] {
		answer, err := client.Get(os.Args[1] + path)
		if err != nil {
			panic(err)
		}
		body := struct {
			Success bool             `json:"success"`
			Count   int              `json:"count"`
			Period  int              `json:"period_days,omitempty"`
			Data    []map[string]any `json:"data"`
			Meta    map[string]any   `json:"_meta"`
		}{}
		decoder := json.NewDecoder(answer.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&body); err != nil || !body.Success || body.Count != len(body.Data) {
			panic(err)
		}
		delete(body.Meta, "timestamp")
		text, _ := json.Marshal(body)
		fmt.Println(path, string(text))
	}
}
