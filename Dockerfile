# The image holds one static program, the certificates of public authorities
# and two folders to mount: /vault and /data. It runs as a plain user, needs no
# shell and no writable root:
#
#   docker build -t obsidian-mcp .
#   docker run --read-only --cap-drop ALL --user "$(id -u):$(id -g)" -p 127.0.0.1:1065:1065 \
#     -v /path/to/vault:/vault -v obsidian-mcp:/data \
#     -v /path/to/token:/run/secrets/token:ro -e OBSIDIAN_MCP_TOKEN_FILE=/run/secrets/token obsidian-mcp
#
# It ships no token and leaves authentication on. Since a container must listen
# on all of its addresses, it refuses to start until it is given a token or an
# OAuth issuer. See docs/DEPLOY.md.

FROM --platform=$BUILDPLATFORM golang:1.26.8 AS build
# Where the image's root is put together. tools/image sets another place, and
# runs the very commands below without a container engine.
ARG ROOT=/image
ARG TARGETOS TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# With .git, from which the version is stamped.
COPY . .
# It serves HTTP/1.1, alone or behind a proxy, and asks for no more: half a
# megabyte of HTTP/2 stays out.
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=auto -tags nethttpomithttp2 -ldflags='-s -w' -o "$ROOT/obsidian-mcp" ./cmd/obsidian-mcp
RUN install -D -m 0644 /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/ssl/certs/ca-certificates.crt"
# Any user may be chosen with --user, so that files in the vault belong to whom
# they should; hence anyone may make a folder of their own in /data.
RUN mkdir -m 0755 "$ROOT/vault" && mkdir -m 1777 "$ROOT/data"

FROM scratch
LABEL org.opencontainers.image.title="obsidian-mcp" \
      org.opencontainers.image.description="An MCP server for Obsidian vaults" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /image /
# A config file may be mounted as /config/obsidian-mcp.yaml. All of this is
# environment rather than flags, so that the health check has the same settings.
ENV HOST=0.0.0.0 \
    PORT=1065 \
    OBSIDIAN_VAULT_PATH=/vault \
    OBSIDIAN_MCP_STATE_DIR=/data/state \
    OBSIDIAN_MCP_CACHE_DIR=/data/cache \
    XDG_CONFIG_HOME=/config
USER 65532:65532
VOLUME /data
EXPOSE 1065
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["/obsidian-mcp", "health"]
ENTRYPOINT ["/obsidian-mcp"]
CMD ["http"]
