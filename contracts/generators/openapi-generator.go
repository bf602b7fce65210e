// Asks a gateway through the clients of openapi-generator (go): FORM URL
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"clients/current"
	"clients/variant"
)

// What an error of a client says: the gateway's code, or that the answer could not be read.
type refusal interface{ Model() any }

func tell(name string, fact any, err error) {
	if err == nil {
		fmt.Printf("%s: %v\n", name, fact)
		return
	}
	one, isRefusal := err.(refusal)
	if !isRefusal || one.Model() == nil {
		fmt.Printf("%s: %v\n", name, err)
		return
	}
	switch body := one.Model().(type) {
	case current.Error:
		fmt.Printf("%s: %s %s\n", name, err.Error()[:3], body.Error.Code)
	case variant.Error:
		fmt.Printf("%s: %s %s\n", name, err.Error()[:3], body.Error)
	case variant.GetHealth405Response: // the generator names the union of both errors by its first use
		if body.CurrentError != nil {
			fmt.Printf("%s: %s %s\n", name, err.Error()[:3], body.CurrentError.Error.Code)
		} else {
			fmt.Printf("%s: %s %s\n", name, err.Error()[:3], body.Error.Error)
		}
	default:
		fmt.Printf("%s: %T\n", name, body)
	}
}

func named[One any](list []One, name func(One) string) string {
	var names []string
	for _, one := range list {
		names = append(names, name(one))
	}
	return strings.Join(names, ",")
}

func askCurrent(url string) {
	config := current.NewConfiguration()
	config.Servers = current.ServerConfigurations{{URL: url}}
	client := current.NewAPIClient(config)
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), current.ContextAccessToken, os.Getenv(key))
	}
	full := as("FULL")
	health, _, err := client.ServiceAPI.GetHealth(full).Execute()
	tell("health", health.GetStatus(), err)
	page, _, err := client.ArtistsAPI.ListArtists(full).Limit(100).Execute()
	tell("artists", named(page.GetData(), func(one current.Artist) string { return one.Id }), err)
	page, _, err = client.ArtistsAPI.ListArtists(full).Limit(100).Include("history").Execute()
	points := 0
	for _, one := range page.GetData() {
		for _, series := range one.GetHistory() {
			points += len(series)
		}
	}
	tell("history", points, err)
	detail, _, err := client.ArtistsAPI.GetArtist(full, os.Getenv("ARTIST")).Execute()
	data := detail.GetData()
	metrics := data.GetMetrics()
	tell("artist", fmt.Sprintf("%d %.0f", len(data.GetHistory()["monthly_listeners"]), metrics.GetSpotifyStreams()), err)
	added, _, err := client.ArtistsAPI.ListAddedArtists(full).Days(90).Execute()
	tell("added", len(added.GetData()), err)
	_, _, err = client.ArtistsAPI.ListArtists(full).Cursor("x").Execute()
	tell("400", "", err)
	_, _, err = client.ArtistsAPI.GetArtist(full, "nobody").Execute()
	tell("404", "", err)
	spikes, _, err := client.SignalsAPI.ListSpikes(full).Days(7).Execute()
	tell("spikes", named(spikes.GetData(), func(one current.Spike) string { return one.Metric }), err)
	signings, _, err := client.SignalsAPI.ListSignings(full).Execute()
	tell("signings", named(signings.GetData(), func(one current.Signing) string { return one.ArtistName }), err)
	for name, key := range map[string]string{"401": "UNKNOWN", "revoked": "REVOKED"} {
		_, _, err = client.ArtistsAPI.ListArtists(as(key)).Execute()
		tell(name, "", err)
	}
	for range 3 {
		_, _, err = client.SignalsAPI.ListSignings(as("LAST")).Execute()
	}
	tell("429", "", err)
}

func askVariant(url string) {
	config := variant.NewConfiguration()
	config.Servers = variant.ServerConfigurations{{URL: url}}
	client := variant.NewAPIClient(config)
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), variant.ContextAccessToken, os.Getenv(key))
	}
	full := as("FULL")
	health, _, err := client.ServiceAPI.GetHealth(full).Execute()
	tell("health", health.GetStatus(), err)
	list, _, err := client.ArtistsAPI.ListArtists(full).Limit(100).Execute()
	tell("artists", named(list.GetData(), func(one variant.Artist) string { return one.Id }), err)
	list, _, err = client.ArtistsAPI.ListArtists(full).Fields("basic").Signed(true).Execute()
	tell("basic", list.GetCount(), err)
	_, _, err = client.ArtistsAPI.ListArtists(full).Id("nobody").Execute()
	tell("404", "", err)
	spikes, _, err := client.SignalsAPI.ListSpikes(full).Days(7).Execute()
	tell("spikes", named(spikes.GetData(), func(one variant.Spike) string { return one.Metric }), err)
	signings, _, err := client.SignalsAPI.ListSignings(full).Execute()
	tell("signings", named(signings.GetData(), func(one variant.Signing) string { return one.ArtistName }), err)
	for name, key := range map[string]string{"401": "UNKNOWN", "revoked": "REVOKED"} {
		_, _, err = client.ArtistsAPI.ListArtists(as(key)).Execute()
		tell(name, "", err)
	}
	for range 3 {
		_, _, err = client.SignalsAPI.ListSignings(as("LAST")).Execute()
	}
	tell("429", "", err)
}

func main() {
	if os.Args[1] == "current" {
		askCurrent(os.Args[2])
	} else {
		askVariant(os.Args[2])
	}
}
