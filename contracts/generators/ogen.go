// Asks a gateway through the clients of ogen: FORM URL
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"clients/current"
	"clients/variant"
)

type currentKey string

func (key currentKey) ApiKey(context.Context, current.OperationName) (current.ApiKey, error) {
	return current.ApiKey{Token: os.Getenv(string(key))}, nil
}

type variantKey string

func (key variantKey) ApiKey(context.Context, variant.OperationName) (variant.ApiKey, error) {
	return variant.ApiKey{Token: os.Getenv(string(key))}, nil
}

// Tells what an answer holds, by its type; of a refusal its code.
func tell(name string, answer any, err error, read func(any) any) {
	var told any = err
	switch reply := answer.(type) {
	case *current.ListArtistsBadRequest:
		told = fmt.Sprintf("400 %s", reply.Response.Error.Code)
	case *current.GetArtistNotFound:
		told = fmt.Sprintf("404 %s", reply.Response.Error.Code)
	case *current.ListAddedArtistsUnauthorizedHeaders:
		told = fmt.Sprintf("401 %s", reply.Response.Error.Code)
	case *current.ListAddedArtistsTooManyRequestsHeaders:
		told = fmt.Sprintf("429 %s", reply.Response.Error.Code)
	case *variant.ErrorHeaders:
		told = fmt.Sprintf("404 %s", reply.Response.Error)
	case *variant.ListArtistsUnauthorizedHeaders:
		if reply.Response.IsCurrentError() {
			told = fmt.Sprintf("401 %s", reply.Response.CurrentError.Error.Code)
		} else {
			told = fmt.Sprintf("401 %s", reply.Response.Error.Error)
		}
	case *variant.ListArtistsTooManyRequestsHeaders:
		told = fmt.Sprintf("429 %s", reply.Response.Error)
	default:
		if err == nil {
			told = read(answer)
		}
	}
	fmt.Printf("%s: %v\n", name, told)
}

func named[One any](list []One, name func(One) string) string {
	var names []string
	for _, one := range list {
		names = append(names, name(one))
	}
	return strings.Join(names, ",")
}

func kind(answer any) any { return fmt.Sprintf("%T", answer) }

func askCurrent(url string) {
	client := func(key string) *current.Client {
		made, err := current.NewClient(url, currentKey(key))
		if err != nil {
			panic(err)
		}
		return made
	}
	ask, full := context.Background(), client("FULL")
	health, err := full.GetHealth(ask)
	tell("health", health, err, func(one any) any { return one.(*current.HealthHeaders).Response.Status })
	artists, err := full.ListArtists(ask, current.ListArtistsParams{Limit: current.NewOptInt(100)})
	tell("artists", artists, err, func(one any) any {
		return named(one.(*current.ArtistListHeaders).Response.Data, func(one current.Artist) string { return one.ID })
	})
	history := current.NewOptListArtistsInclude(current.ListArtistsIncludeHistory)
	artists, err = full.ListArtists(ask, current.ListArtistsParams{Limit: current.NewOptInt(100), Include: history})
	tell("history", artists, err, func(one any) any {
		points := 0
		for _, artist := range one.(*current.ArtistListHeaders).Response.Data {
			for _, series := range artist.History.Value {
				points += len(series)
			}
		}
		return points
	})
	artist, err := full.GetArtist(ask, current.GetArtistParams{ID: os.Getenv("ARTIST")})
	tell("artist", artist, err, func(one any) any {
		data := one.(*current.ArtistDetailHeaders).Response.Data
		return fmt.Sprintf("%d %.0f", len(data.History.Value["monthly_listeners"]), data.Metrics.SpotifyStreams.Value)
	})
	added, err := full.ListAddedArtists(ask, current.ListAddedArtistsParams{Days: current.NewOptInt(90)})
	tell("added", added, err, func(one any) any { return len(one.(*current.ArtistListHeaders).Response.Data) })
	refused, err := full.ListArtists(ask, current.ListArtistsParams{Cursor: current.NewOptString("x")})
	tell("400", refused, err, kind)
	nobody, err := full.GetArtist(ask, current.GetArtistParams{ID: "nobody"})
	tell("404", nobody, err, kind)
	spikes, err := full.ListSpikes(ask, current.ListSpikesParams{Days: current.NewOptInt(7)})
	tell("spikes", spikes, err, func(one any) any {
		return named(one.(*current.SpikeListHeaders).Response.Data, func(one current.Spike) string { return one.Metric })
	})
	signings, err := full.ListSignings(ask, current.ListSigningsParams{})
	tell("signings", signings, err, func(one any) any {
		return named(one.(*current.SigningListHeaders).Response.Data, func(one current.Signing) string { return one.ArtistName })
	})
	for name, key := range map[string]string{"401": "UNKNOWN", "revoked": "REVOKED"} {
		refused, err = client(key).ListArtists(ask, current.ListArtistsParams{})
		tell(name, refused, err, kind)
	}
	for range 3 {
		signings, err = client("LAST").ListSignings(ask, current.ListSigningsParams{})
	}
	tell("429", signings, err, kind)
}

func askVariant(url string) {
	client := func(key string) *variant.Client {
		made, err := variant.NewClient(url, variantKey(key))
		if err != nil {
			panic(err)
		}
		return made
	}
	ask, full := context.Background(), client("FULL")
	health, err := full.GetHealth(ask)
	tell("health", health, err, func(one any) any { return one.(*variant.HealthHeaders).Response.Status })
	artists, err := full.ListArtists(ask, variant.ListArtistsParams{Limit: variant.NewOptInt(100)})
	tell("artists", artists, err, func(one any) any {
		return named(one.(*variant.ArtistListHeaders).Response.Data, func(one variant.Artist) string { return one.ID })
	})
	basic := variant.NewOptListArtistsFields(variant.ListArtistsFieldsBasic)
	artists, err = full.ListArtists(ask, variant.ListArtistsParams{Fields: basic, Signed: variant.NewOptBool(true)})
	tell("basic", artists, err, func(one any) any { return one.(*variant.ArtistListHeaders).Response.Count })
	nobody, err := full.ListArtists(ask, variant.ListArtistsParams{ID: variant.NewOptString("nobody")})
	tell("404", nobody, err, kind)
	spikes, err := full.ListSpikes(ask, variant.ListSpikesParams{Days: variant.NewOptInt(7)})
	tell("spikes", spikes, err, func(one any) any {
		return named(one.(*variant.SpikeListHeaders).Response.Data, func(one variant.Spike) string { return one.Metric })
	})
	signings, err := full.ListSignings(ask, variant.ListSigningsParams{})
	tell("signings", signings, err, func(one any) any {
		return named(one.(*variant.SigningListHeaders).Response.Data, func(one variant.Signing) string { return one.ArtistName })
	})
	for name, key := range map[string]string{"401": "UNKNOWN", "revoked": "REVOKED"} {
		refused, err := client(key).ListArtists(ask, variant.ListArtistsParams{})
		tell(name, refused, err, kind)
	}
	for range 3 {
		signings, err = client("LAST").ListSignings(ask, variant.ListSigningsParams{})
	}
	tell("429", signings, err, kind)
}

func main() {
	if os.Args[1] == "current" {
		askCurrent(os.Args[2])
	} else {
		askVariant(os.Args[2])
	}
}
