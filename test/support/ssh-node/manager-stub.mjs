// Acts as a manager on its secure port: TLS with a self-made certificate, and only authorised clients see /metrics, as in
// k8s.io/apiserver's delegated authorisation. Arguments: --secure-port, --tls (PEM of key and certificate), --client-ca, --token; --user,
// the user to run as instead of root; --endless, to never end its response; --stops, to be stopped by a signal when it is asked.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const words = Object.fromEntries(
  process.argv.slice(2).map((word) => /^--([\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word, '']),
);
const pem = readFileSync(words['tls'], 'utf8');
const server = createServer(
  {
    key: pem,
    cert: pem,
    ca: readFileSync(words['client-ca'], 'utf8'),
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
  },
  (request, response) => {
    const { authorization = '' } = request.headers;
    const isKnown = request.socket.authorized || authorization === `Bearer ${words['token']}`;
    if (authorization !== '' && words['seen'] !== undefined) process.stdout.write('token shown\n');
    if (!isKnown) response.writeHead(authorization === '' ? 401 : 403).end();
    else if (request.url !== '/metrics') response.writeHead(404).end();
    else if (words['stops'] !== undefined) process.kill(process.pid, 'SIGSTOP');
    else if (words['endless'] !== undefined) {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => response.destroyed || response.write('# and more\n'.repeat(20_000), more);
      more();
    } else {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(
        '# TYPE leader_election_master_status gauge\n' +
          'leader_election_master_status{name="kube-controller-manager"} 1\n' +
          'go_goroutines 7\n',
      );
    }
  },
);
if (words['user'] !== undefined) process.setuid(Number(words['user']));
server.listen(Number(words['secure-port']), '127.0.0.1');
