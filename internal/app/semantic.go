package app

import (
	"context"
	"fmt"
	"log/slog"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/outside/embedding"
	"obsidian-mcp/internal/text/meaning"
)

// checkSemantic refuses settings of search by meaning that cannot work, or that would send notes to another machine unasked.
func checkSemantic(settings config.Config) error {
	semantic := settings.Semantic
	switch semantic.Mode {
	case config.SemanticModel:
		if semantic.Model == "" {
			return settings.Blame("semantic", fault.InvalidArgument.Errorf("no folder of a model is given").
				WithHint("set OBSIDIAN_MCP_SEMANTIC_MODEL; obsidian-mcp model fetch downloads one"))
		}
		return settings.Blame("semantic_model", embedding.CheckFolder(semantic.Model))
	case config.SemanticEndpoint:
		switch {
		case semantic.URL == "":
			return settings.Blame("semantic", fault.InvalidArgument.Errorf("no server is given").WithHint("set OBSIDIAN_MCP_SEMANTIC_URL"))
		case semantic.Model == "":
			return settings.Blame("semantic", fault.InvalidArgument.Errorf("no model of the server is given").WithHint("set OBSIDIAN_MCP_SEMANTIC_MODEL to its name there"))
		case !semantic.SendNotes && !embedding.IsLoopback(semantic.URL):
			return settings.Blame("semantic_url", fault.InvalidArgument.Errorf("the texts of all notes would be sent to another machine").
				WithHint("if that is wanted, set OBSIDIAN_MCP_SEMANTIC_SEND_NOTES=true"))
		}
	}
	return nil
}

// openModel opens the model that notes are found by meaning with. It returns nil if they are found by words only.
func openModel(settings config.Config, log *slog.Logger) meaning.Model {
	switch semantic := settings.Semantic; semantic.Mode {
	case config.SemanticBuiltin:
		return meaning.Builtin()
	case config.SemanticModel:
		folder, err := embedding.OpenFolder(semantic.Model)
		if err == nil {
			return folder
		}
		log.Warn("notes are found by their words only", "error", err.Error())
	case config.SemanticEndpoint:
		if !embedding.IsLoopback(semantic.URL) {
			log.Warn("the texts of all notes are sent to another machine, for search by meaning", "server", endpoint(semantic).Host())
		}
		return endpoint(semantic)
	}
	return nil
}

func endpoint(semantic config.Semantic) *embedding.Endpoint {
	return embedding.NewEndpoint(embedding.Options{URL: semantic.URL, Model: semantic.Model, Key: semantic.Key.Reveal()})
}

// aboutMeaning names the model for search by meaning, unless it is the built-in one, and reports whether notes leave this machine.
func aboutMeaning(semantic config.Semantic) (about string, leaves bool) {
	switch semantic.Mode {
	case config.SemanticModel:
		return "the model in " + semantic.Model, false
	case config.SemanticEndpoint:
		return fmt.Sprintf("the model %s at %s", semantic.Model, endpoint(semantic).Host()), !embedding.IsLoopback(semantic.URL)
	}
	return "", false
}

const leavesMachine = "the texts of all notes leave this machine: they are sent to that server; OBSIDIAN_MCP_SEMANTIC=builtin keeps them here"

// checkMeaning is doctor's check of a model that is not part of the program.
func checkMeaning(semantic config.Semantic) func(context.Context) (found, worry string, err error) {
	return func(ctx context.Context) (found, worry string, err error) {
		about, leaves := aboutMeaning(semantic)
		if leaves {
			worry = leavesMachine
		}
		dimensions := 0
		if semantic.Mode == config.SemanticEndpoint {
			dimensions, err = endpoint(semantic).Check(ctx)
		} else {
			var folder *embedding.Folder
			if folder, err = embedding.OpenFolder(semantic.Model); err == nil {
				dimensions, err = folder.Check(ctx)
			}
		}
		if err != nil {
			return "", worry, err
		}
		return fmt.Sprintf("%s answers, with %d numbers for each text", about, dimensions), worry, nil
	}
}
