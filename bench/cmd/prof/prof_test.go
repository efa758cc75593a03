package prof
import ("testing";"os";"strconv";"obsidian-mcp/bench";"obsidian-mcp/bench/corpus";"obsidian-mcp/bench/scorch")
func BenchmarkC(b *testing.B){
 n,_:=strconv.Atoi(os.Getenv("NOTES")); if n==0 {n=10000}
 dir:="/work/sb/v"+strconv.Itoa(n)
 if _,err:=os.Stat(dir+"/.made"); err!=nil { corpus.Make(dir,n); os.WriteFile(dir+"/.made",nil,0o644) }
 c,err:=corpus.Make("/work/sb/tmp"+strconv.Itoa(n),n); if err!=nil {b.Fatal(err)}
 qs:=c.Queries(); c.Forget()
 place:=bench.Place{Vault:dir, Index:dir+"-idx"}
 os.MkdirAll(place.Index,0o755)
 var e bench.Engine
 if os.Getenv("BLEVE")!="" { m:=scorch.Maker(); place.Index=dir+"-bleve"; if _,err:=os.Stat(place.Index); err!=nil { os.MkdirAll(place.Index,0o755); if err:=m.Build(place); err!=nil {b.Fatal(err)} }; e,err=m.Open(place); if err!=nil {b.Fatal(err)} } else {
 p,err:=bench.OpenOurs(place); if err!=nil {b.Fatal(err)}; p.Ready(); p.Verified(); e=p }
 for _,class:=range corpus.Classes {
  if only:=os.Getenv("CLASS"); only!="" && only!=class {continue}
  b.Run(class, func(b *testing.B){ b.ReportAllocs(); i:=0; for b.Loop() { e.Search(qs[class][i%len(qs[class])],10); i++ } })
 }
}
