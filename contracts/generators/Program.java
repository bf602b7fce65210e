// Asks a gateway through the clients of openapi-generator (java, library native): FORM URL
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;

public class Program {
  static void tell(String name, Callable<Object> read) {
    String told;
    try {
      told = String.valueOf(read.call());
    } catch (clients.current.ApiException refusal) {
      told = refusal.getCode() + " " + code(refusal.getResponseBody());
    } catch (clients.variant.ApiException refusal) {
      told = refusal.getCode() + " " + code(refusal.getResponseBody());
    } catch (Exception failure) {
      told = failure.toString();
    }
    System.out.println(name + ": " + told.lines().findFirst().orElse(""));
  }

  /** The code of an error, read as the class that the client has for it. */
  static String code(String body) {
    try {
      return clients.current.ApiClient.createDefaultObjectMapper()
          .readValue(body, clients.current.model.Error.class).getError().getCode().getValue();
    } catch (Exception notOfTheCurrentForm) {
      try {
        return clients.variant.ApiClient.createDefaultObjectMapper()
            .readValue(body, clients.variant.model.Error.class).getError().getValue();
      } catch (Exception failure) {
        return failure.toString();
      }
    }
  }

  static <One> String named(List<One> list, Function<One, String> name) {
    return list.stream().map(name).collect(Collectors.joining(","));
  }

  static clients.current.ApiClient current(String url, String key) {
    var client = new clients.current.ApiClient();
    client.updateBaseUri(url);
    return client.setRequestInterceptor(one -> one.header("Authorization", "Bearer " + System.getenv(key)));
  }

  static clients.variant.ApiClient variant(String url, String key) {
    var client = new clients.variant.ApiClient();
    client.updateBaseUri(url);
    return client.setRequestInterceptor(one -> one.header("Authorization", "Bearer " + System.getenv(key)));
  }

  static void askCurrent(String url) {
    var artists = new clients.current.api.ArtistsApi(current(url, "FULL"));
    var signals = new clients.current.api.SignalsApi(current(url, "FULL"));
    var spent = new clients.current.api.SignalsApi(current(url, "LAST"));
    tell("health", () -> new clients.current.api.ServiceApi(current(url, "FULL")).getHealth().getStatus());
    tell("artists", () -> named(artists.listArtists(null, null, null, null, null, 100, null, null, null).getData(), one -> one.getId()));
    tell("history", () -> artists.listArtists(null, null, null, null, "history", 100, null, null, null).getData().stream()
        .filter(one -> one.getHistory() != null)
        .flatMap(one -> one.getHistory().values().stream()).mapToInt(List::size).sum());
    tell("artist", () -> {
      var data = artists.getArtist(System.getenv("ARTIST"), null, null).getData();
      return data.getHistory().get("monthly_listeners").size() + " " + data.getMetrics().getSpotifyStreams().longValue();
    });
    tell("added", () -> artists.listAddedArtists(90, null, null, null).getData().size());
    tell("400", () -> artists.listArtists(null, null, null, null, null, null, "x", null, null));
    tell("404", () -> artists.getArtist("nobody", null, null));
    tell("spikes", () -> named(signals.listSpikes(7, null, null).getData(), one -> one.getMetric()));
    tell("signings", () -> named(signals.listSignings(null, null).getData(), one -> one.getArtistName()));
    tell("401", () -> new clients.current.api.SignalsApi(current(url, "UNKNOWN")).listSignings(null, null));
    tell("revoked", () -> new clients.current.api.SignalsApi(current(url, "REVOKED")).listSignings(null, null));
    tell("429", () -> List.of(spent.listSignings(null, null), spent.listSignings(null, null), spent.listSignings(null, null)));
  }

  static void askVariant(String url) {
    var artists = new clients.variant.api.ArtistsApi(variant(url, "FULL"));
    var signals = new clients.variant.api.SignalsApi(variant(url, "FULL"));
    var spent = new clients.variant.api.SignalsApi(variant(url, "LAST"));
    tell("health", () -> new clients.variant.api.ServiceApi(variant(url, "FULL")).getHealth().getStatus());
    tell("artists", () -> named(artists.listArtists(null, null, null, null, null, 100, null).getData(), one -> one.getId()));
    tell("basic", () -> artists.listArtists(null, null, null, true, "basic", null, null).getCount());
    tell("404", () -> artists.listArtists("nobody", null, null, null, null, null, null));
    tell("spikes", () -> named(signals.listSpikes(7, null).getData(), one -> one.getMetric()));
    tell("signings", () -> named(signals.listSignings(null).getData(), one -> one.getArtistName()));
    tell("401", () -> new clients.variant.api.SignalsApi(variant(url, "UNKNOWN")).listSignings(null));
    tell("revoked", () -> new clients.variant.api.SignalsApi(variant(url, "REVOKED")).listSignings(null));
    tell("429", () -> List.of(spent.listSignings(null), spent.listSignings(null), spent.listSignings(null)));
  }

  public static void main(String[] given) {
    if (given[0].equals("current")) askCurrent(given[1]);
    else askVariant(given[1]);
  }
}
