# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The users of the secured listeners, and the certificates: one CA, the broker, each user."""

import base64
import json
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stack.errors import StackError
from stack.paths import write_private
from stack.ports import HOST
from stack.prerequisites import program
from stack.state import Secured

SUPER_USER = "admin"
USERS = (SUPER_USER, "operator", "nobody")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
#: what a token for the broker has as its audience and issuer; its subject is the user
AUDIENCE, ISSUER = "kafka", "https://login.example.com"
_KEY_ID = "stack"
_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_DAYS = 3650


def new_secured(sasl_port: int, tls_port: int) -> Secured:
    passwords = {user: secrets.token_hex(16) for user in USERS}
    return Secured(sasl_port, tls_port, passwords, secrets.token_hex(16))


def make_certificates(folder: Path, secured: Secured) -> None:
    """Write PEM files: ca.pem, ca.key, broker.pem (key and certificate), for each user NAME.pem, .key, -encrypted.key.

    And the key of tokens, see make_token_key.
    """
    make_ca(folder)
    sign(folder, "broker", f"subjectAltName=IP:{HOST},DNS:localhost")
    # Kafka takes a PEM key store as one file.
    write_private(folder / "broker.pem", (folder / "broker.key").read_text() + (folder / "broker.pem").read_text())
    for user in secured.passwords:
        sign(folder, user, "extendedKeyUsage=clientAuth")
        encrypt = ("pkcs8", "-topk8", "-in", folder / f"{user}.key", "-out", folder / f"{user}-encrypted.key")
        _openssl(*encrypt, "-passout", "stdin", stdin=secured.key_password)
    make_token_key(folder)


def make_token_key(folder: Path) -> None:
    """Write tokens.key, an RSA key that signs tokens, and jwks.json, by which the broker verifies them."""
    key = folder / "tokens.key"
    _openssl("genrsa", "-out", key, "2048")
    modulus = bytes.fromhex(_openssl("rsa", "-in", key, "-noout", "-modulus").strip().partition("=")[2])
    public = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": _KEY_ID, "n": _base64(modulus), "e": "AQAB"}
    write_private(folder / "jwks.json", json.dumps({"keys": [public]}))


def sign_token(folder: Path, claims: Mapping[str, Any]) -> str:
    """A JWT with these claims, signed by the tokens.key of the folder."""
    parts = [_base64(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT", "kid": _KEY_ID}, claims)]
    command = [program("openssl"), "dgst", "-sha256", "-sign", str(folder / "tokens.key")]
    signed = subprocess.run(command, input=".".join(parts).encode(), capture_output=True, check=True).stdout
    return ".".join([*parts, _base64(signed)])


def broker_options(folder: Path) -> list[str]:
    """Of the broker's JVM: without it Kafka opens no file or address for the keys of tokens."""
    return [f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={(folder / 'jwks.json').as_uri()}"]


def _base64(data: bytes) -> str:
    """As JSON Web Tokens have it: for URLs, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def make_ca(folder: Path) -> None:
    """Write ca.pem and ca.key to a folder of the owner's own."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = ("-keyout", folder / "ca.key", "-out", folder / "ca.pem")
    _openssl("req", "-x509", *_NEW_KEY, "-days", str(_DAYS), "-subj", "/CN=stack CA", *made)


def scram_credentials(secured: Secured) -> list[str]:
    """What `kafka-storage format --add-scram` takes."""
    return [
        f"{mechanism}=[name={user},password={password}]"
        for user, password in secured.passwords.items()
        for mechanism in MECHANISMS
        if mechanism.startswith("SCRAM")
    ]


def add_listeners(properties: Mapping[str, str], secured: Secured, folder: Path) -> dict[str, str]:
    """The broker's properties with two more listeners. Who comes by the plain ones may do everything, as without these."""
    listeners = f",SASL://{HOST}:{secured.sasl_port},MUTUAL://{HOST}:{secured.tls_port}"
    protocols = ",SASL:SASL_SSL,MUTUAL:SSL"
    users = " ".join(f'user_{user}="{password}"' for user, password in secured.passwords.items())
    login = "org.apache.kafka.common.security"
    return {
        **properties,
        "listeners": properties["listeners"] + listeners,
        "advertised.listeners": properties["advertised.listeners"] + listeners,
        "listener.security.protocol.map": properties["listener.security.protocol.map"] + protocols,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(folder / "broker.pem"),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(folder / "ca.pem"),
        # CN=operator is User:operator, the same as by password.
        "ssl.principal.mapping.rules": "RULE:^CN=([^,]+)$/$1/,DEFAULT",
        "listener.name.mutual.ssl.client.auth": "required",
        "listener.name.sasl.sasl.enabled.mechanisms": ",".join(MECHANISMS),
        "listener.name.sasl.plain.sasl.jaas.config": f"{login}.plain.PlainLoginModule required {users};",
        "listener.name.sasl.scram-sha-256.sasl.jaas.config": f"{login}.scram.ScramLoginModule required;",
        "listener.name.sasl.scram-sha-512.sasl.jaas.config": f"{login}.scram.ScramLoginModule required;",
        "listener.name.sasl.oauthbearer.sasl.jaas.config": f"{login}.oauthbearer.OAuthBearerLoginModule required;",
        "listener.name.sasl.oauthbearer.sasl.server.callback.handler.class":
            f"{login}.oauthbearer.OAuthBearerValidatorCallbackHandler",
        "sasl.oauthbearer.jwks.endpoint.url": (folder / "jwks.json").as_uri(),
        "sasl.oauthbearer.expected.audience": AUDIENCE,
        "sasl.oauthbearer.expected.issuer": ISSUER,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        "super.users": f"User:ANONYMOUS;User:{SUPER_USER}",
    }


def describe(secured: Secured, folder: Path) -> dict[str, Any]:
    """What a client needs."""
    return {
        "sasl_ssl": f"{HOST}:{secured.sasl_port}",
        "ssl": f"{HOST}:{secured.tls_port}",
        "ca": str(folder / "ca.pem"),
        "folder": str(folder),
        "users": {
            user: {
                "password": password,
                "certificate": str(folder / f"{user}.pem"),
                "key": str(folder / f"{user}.key"),
                "encrypted_key": str(folder / f"{user}-encrypted.key"),
                "key_password": secured.key_password,
            }
            for user, password in secured.passwords.items()
        },
    }


def sign(folder: Path, name: str, extension: str, days: int = _DAYS) -> None:
    """Write NAME.pem and NAME.key, by the CA of the folder.

    extension: of the certificate, as openssl's files say it. days: how long it is valid; -1 for one that has expired.
    """
    request, settings = folder / f"{name}.csr", folder / f"{name}.ext"
    _openssl("req", "-new", *_NEW_KEY, "-subj", f"/CN={name}", "-keyout", folder / f"{name}.key", "-out", request)
    settings.write_text(extension + "\n", encoding="ascii")
    ca = ("-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial")
    _openssl("x509", "-req", "-in", request, *ca, "-days", str(days), "-extfile", settings, "-out", folder / f"{name}.pem")
    request.unlink()
    settings.unlink()


def _openssl(*arguments: str | Path, stdin: str = "") -> str:
    command = [program("openssl"), *map(str, arguments)]
    result = subprocess.run(command, input=stdin + "\n", text=True, capture_output=True, check=False)
    if result.returncode:
        raise StackError(f"openssl {arguments[0]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout
