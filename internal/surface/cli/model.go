package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
)

// fetchFunc downloads a model into a folder named after it.
type fetchFunc func(ctx context.Context, name, dir, mirror string, report func(line string)) (folder string, err error)

// model is the group of commands for the models of search by meaning.
func (p Program) model() *cobra.Command {
	group := &cobra.Command{Use: "model", Short: "download a model for search by meaning", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	group.AddCommand(p.fetchModel())
	return group
}

func (p Program) fetchModel() *cobra.Command {
	cmd := &cobra.Command{Use: "fetch NAME", Short: "download a model by its name, and check every byte",
		Long: "Downloads a Model2Vec model, and prints the folder to set as semantic_model. Only files whose SHA-256 this program knows are accepted.\n" +
			"Nothing is ever downloaded otherwise.\n\nModels: " + p.Models,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usage{errors.New("model fetch takes the name of a model: " + p.Models)}
			}
			return nil
		}}
	dir := cmd.Flags().String("dir", "", "folder to put the model's folder into (default: models in the state folder)")
	mirror := cmd.Flags().String("from", "", "address of a mirror of huggingface.co")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *dir == "" {
			settings, err := p.settings(cmd)
			if err != nil {
				return err
			}
			*dir = filepath.Join(settings.StateDir, "models")
		}
		folder, err := p.FetchModel(cmd.Context(), args[0], *dir, *mirror, func(line string) {
			if !p.progress(cmd, "files").quiet() {
				fmt.Fprintln(p.Err, "obsidian-mcp: "+line)
			}
		})
		if err != nil {
			return err
		}
		if absolute, err := filepath.Abs(folder); err == nil {
			folder = absolute
		}
		_, err = fmt.Fprintf(p.Out, "%s\nto use it: OBSIDIAN_MCP_SEMANTIC=model OBSIDIAN_MCP_SEMANTIC_MODEL=%s\n", folder, folder)
		return err
	}
	return cmd
}
