// A reference of P1 in Go: verifies a webhook, and answers when it is stored. Requests that arrive during a commit share the
// next one. The product also compresses and seals bodies; this program does neither.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

const (
	mostOfCommit = 64
	maxBodyBytes = 25 << 20
)

type target struct {
	IntegrationID string `json:"integrationId"`
	WebhookSecret string `json:"webhookSecret"`
}

type delivery struct {
	integrationID string
	id            string
	body          []byte
	stored        chan error
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: reference TARGETS-FILE DATABASE-URL")
	}
	secrets := readSecrets(os.Args[1])
	connection, err := pgx.Connect(context.Background(), os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	const table = `create table bench_go (integration_id uuid, delivery_id uuid, body bytea, primary key (integration_id, delivery_id))`
	if _, err := connection.Exec(context.Background(), table); err != nil {
		log.Fatal(err)
	}
	waiting := make(chan delivery, mostOfCommit)
	go commitTogether(connection, waiting)
	http.HandleFunc("POST /api/import/{id}", receive(secrets, waiting))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ready %d\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

func readSecrets(file string) map[string][]byte {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	var targets []target
	if err := json.Unmarshal(text, &targets); err != nil {
		log.Fatal(err)
	}
	secrets := make(map[string][]byte, len(targets))
	for _, each := range targets {
		secrets[each.IntegrationID] = []byte(each.WebhookSecret)
	}
	return secrets
}

func receive(secrets map[string][]byte, waiting chan<- delivery) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
		if err != nil {
			http.Error(response, "payload_too_large", http.StatusRequestEntityTooLarge)
			return
		}
		integrationID := request.PathValue("id")
		secret, isKnown := secrets[integrationID]
		if !isKnown || !isSigned(secret, body, request.Header.Get("X-Hub-Signature-256")) {
			http.Error(response, "invalid_signature", http.StatusUnauthorized)
			return
		}
		if !json.Valid(body) {
			http.Error(response, "invalid_json", http.StatusBadRequest)
			return
		}
		stored := make(chan error, 1)
		waiting <- delivery{integrationID, request.Header.Get("X-GitHub-Delivery"), body, stored}
		if err := <-stored; err != nil {
			http.Error(response, "try_again", http.StatusServiceUnavailable)
			return
		}
		response.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(response, `{"message":"ok"}`)
	}
}

func isSigned(secret, body []byte, signature string) bool {
	given, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	if err != nil {
		return false
	}
	code := hmac.New(sha256.New, secret)
	code.Write(body)
	return hmac.Equal(given, code.Sum(nil))
}

// commitTogether stores what waits in one statement, which is a transaction of its own.
func commitTogether(connection *pgx.Conn, waiting <-chan delivery) {
	const insert = `insert into bench_go select * from unnest($1::uuid[], $2::uuid[], $3::bytea[]) on conflict do nothing`
	for first := range waiting {
		together := []delivery{first}
		for len(together) < mostOfCommit && len(waiting) > 0 {
			together = append(together, <-waiting)
		}
		var integrations, ids []string
		var bodies [][]byte
		for _, each := range together {
			integrations = append(integrations, each.integrationID)
			ids = append(ids, each.id)
			bodies = append(bodies, each.body)
		}
		_, err := connection.Exec(context.Background(), insert, integrations, ids, bodies)
		for _, each := range together {
			each.stored <- err
		}
	}
}
