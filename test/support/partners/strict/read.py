import json, sys, urllib.request

for path in sys.argv[2:]:
    headers = {'Authorization': 'Bearer any', 'X-Envelope': 'variant'}
    request = urllib.request.Request(sys.argv[1] + path, headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        body = json.load(answer)
        assert body['success'] is True and body['count'] == len(body['data'])
        del body['_meta']['timestamp']
        print(path, json.dumps(body, sort_keys=True))
